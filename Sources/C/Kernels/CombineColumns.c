#include "FourPixels.h"

// Makes four pixels at a time. Each is a vector of four products, whose weights `spread` repeats for each channel; `fold` adds the
// products of two pixels in pairs.
#define COMBINE_COLUMNS(name, channels, four_pixels, spread, fold, limit, sample, samples, most) \
    CLT_BODY name(const float *restrict in, const clt_taps *restrict taps, size_t width, sample *restrict out) { \
        for (size_t x = 0; x < width; x += 4) { \
            const float *pixels[4], *weights[4]; \
            four_pixels sums[4] = {{0}}; \
            for (size_t i = 0; i < 4; i++) { \
                size_t column = x + i < width ? x + i : width - 1; \
                pixels[i] = in + channels * (size_t)taps->first[column]; \
                weights[i] = taps->weights + column * taps->stride; \
            } \
            for (size_t t = 0; t < taps->count; t += 4) { \
                for (size_t i = 0; i < 4; i++) { \
                    f32x4 weight; \
                    four_pixels four; \
                    memcpy(&weight, weights[i] + t, sizeof weight); \
                    memcpy(&four, pixels[i] + channels * t, sizeof four); \
                    sums[i] += four * spread(weight); \
                } \
            } \
            four_pixels four = fold(fold(sums[0], sums[1]), fold(sums[2], sums[3])); \
            samples levels = ROUND(four, limit(four), most, samples); \
            if (x + 4 <= width) memcpy(out + channels * x, &levels, sizeof levels); \
            else memcpy(out + channels * x, &levels, channels * (width - x) * sizeof(sample)); \
        } \
    }
#define SAME(v) (v)
#define FOLD_GRAY(a, b) (__builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7))
#define FOLD_RGBA(a, b) \
    (__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) + \
     __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31))

COMBINE_COLUMNS(gray_u8, 1, f32x4, SAME, FOLD_GRAY, SAME, uint8_t, u8x4, 255.0f)
COMBINE_COLUMNS(gray_u16, 1, f32x4, SAME, FOLD_GRAY, SAME, uint16_t, u16x4, 65535.0f)
COMBINE_COLUMNS(rgba_u8, 4, f32x16, SPREAD, FOLD_RGBA, ALPHA, uint8_t, u8x16, 255.0f)
COMBINE_COLUMNS(rgba_u16, 4, f32x16, SPREAD, FOLD_RGBA, ALPHA, uint16_t, u16x16, 65535.0f)

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
