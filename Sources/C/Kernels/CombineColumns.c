#include "Targets.h"

// Multiplies four pixels at a time, whose weights `spread` repeats for each channel, and adds the four products at the end.
#define COMBINE_COLUMNS(name, channels, four_pixels, one_pixel, spread, fold, sample, most) \
    CLT_BODY name(const float *in, const clt_taps *taps, size_t width, sample *out) { \
        for (size_t x = 0; x < width; x++) { \
            const float *pixels = in + channels * (size_t)taps->first[x]; \
            const float *weights = taps->weights + x * taps->stride; \
            four_pixels sums = {0}; \
            for (size_t t = 0; t < (size_t)taps->taps[x]; t += 4) { \
                f32x4 weight; \
                four_pixels four; \
                memcpy(&weight, weights + t, sizeof weight); \
                memcpy(&four, pixels + channels * t, sizeof four); \
                sums += four * spread(weight); \
            } \
            one_pixel sum = fold(sums); \
            float limit = sum[channels - 1] < most ? sum[channels - 1] : most; \
            for (size_t c = 0; c < channels; c++) { \
                float level = sum[c] < limit ? sum[c] : limit; \
                out[channels * x + c] = (sample)(int32_t)((level > 0 ? level : 0) + 0.5f); \
            } \
        } \
    }
#define SAME(v) (v)
#define FOLD_GRAY(v) {(v[0] + v[1]) + (v[2] + v[3])}

COMBINE_COLUMNS(gray_u8, 1, f32x4, f32x1, SAME, FOLD_GRAY, uint8_t, 255.0f)
COMBINE_COLUMNS(gray_u16, 1, f32x4, f32x1, SAME, FOLD_GRAY, uint16_t, 65535.0f)
COMBINE_COLUMNS(rgba_u8, 4, f32x16, f32x4, SPREAD, FOLD, uint8_t, 255.0f)
COMBINE_COLUMNS(rgba_u16, 4, f32x16, f32x4, SPREAD, FOLD, uint16_t, 65535.0f)

#define BY_CHANNELS(depth) \
    CLT_BODY clt_combine_columns_##depth( \
        size_t channels, const float *in, const clt_taps *taps, size_t width, void *out) { \
        if (channels == 4) rgba_##depth(in, taps, width, out); \
        else gray_##depth(in, taps, width, out); \
    }
BY_CHANNELS(u8)
BY_CHANNELS(u16)
CLT_SAMPLE_KERNEL(
    clt_combine_columns, (size_t channels, const float *in, const clt_taps *taps, size_t width, void *out),
    (channels, in, taps, width, out))
