#include "Targets.h"

typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x16 __attribute__((vector_size(64)));

// Multiplies four pixels of four channels at a time, and adds the four parts of the vector at the end.
#define COMBINE_RGBA(name, sample, most) \
    CLT_BODY name##_body(const float *in, const clt_taps *taps, size_t width, sample *out) { \
        for (size_t x = 0; x < width; x++) { \
            const float *pixels = in + 4 * (size_t)taps->first[x]; \
            const float *weights = taps->weights + x * taps->stride; \
            size_t count = (size_t)taps->taps[x]; \
            f32x16 sums = {0}; \
            for (size_t t = 0; t < count; t += 4) { \
                f32x4 weight; \
                f32x16 four; \
                memcpy(&weight, weights + t, sizeof weight); \
                memcpy(&four, pixels + 4 * t, sizeof four); \
                sums += four * __builtin_shufflevector(weight, weight, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3); \
            } \
            f32x4 sum = (__builtin_shufflevector(sums, sums, 0, 1, 2, 3) + __builtin_shufflevector(sums, sums, 4, 5, 6, 7)) + \
                        (__builtin_shufflevector(sums, sums, 8, 9, 10, 11) + \
                         __builtin_shufflevector(sums, sums, 12, 13, 14, 15)); \
            float alpha = sum[3] < most ? sum[3] : most; \
            for (int c = 0; c < 4; c++) { \
                float level = sum[c] < alpha ? sum[c] : alpha; \
                out[4 * x + (size_t)c] = (sample)(int32_t)((level > 0 ? level : 0) + 0.5f); \
            } \
        } \
    } \
    CLT_KERNEL(name, (const float *in, const clt_taps *taps, size_t width, sample *out), (in, taps, width, out))

#define COMBINE_GRAY(name, sample, most) \
    CLT_BODY name##_body(const float *in, const clt_taps *taps, size_t width, sample *out) { \
        for (size_t x = 0; x < width; x++) { \
            const float *pixels = in + (size_t)taps->first[x]; \
            const float *weights = taps->weights + x * taps->stride; \
            size_t count = (size_t)taps->taps[x]; \
            f32x4 sums = {0}; \
            for (size_t t = 0; t < count; t += 4) { \
                f32x4 weight, four; \
                memcpy(&weight, weights + t, sizeof weight); \
                memcpy(&four, pixels + t, sizeof four); \
                sums += four * weight; \
            } \
            float level = (sums[0] + sums[1]) + (sums[2] + sums[3]); \
            level = level < most ? level : most; \
            out[x] = (sample)(int32_t)((level > 0 ? level : 0) + 0.5f); \
        } \
    } \
    CLT_KERNEL(name, (const float *in, const clt_taps *taps, size_t width, sample *out), (in, taps, width, out))

COMBINE_RGBA(clt_combine_columns_rgba_u8, uint8_t, 255.0f)
COMBINE_RGBA(clt_combine_columns_rgba_u16, uint16_t, 65535.0f)
COMBINE_GRAY(clt_combine_columns_gray_u8, uint8_t, 255.0f)
COMBINE_GRAY(clt_combine_columns_gray_u16, uint16_t, 65535.0f)
