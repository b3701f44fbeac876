#include "FourPixels.h"

// Where the samples and the weights of four pixels of the result begin. After the last pixel, it is repeated.
typedef struct {
    const float *samples[4], *weights[4];
} inputs;

CLT_BODY find_inputs(const float *in, const clt_taps *taps, size_t channels, size_t width, size_t x, inputs *found) {
    for (size_t i = 0; i < 4; i++) {
        size_t column = x + i < width ? x + i : width - 1;
        found->samples[i] = in + channels * (size_t)taps->first[column];
        found->weights[i] = taps->weights + column * taps->stride;
    }
}

// Each sum has four products, which are added in pairs at the end.
#define ADD_PAIRS(a, b) (__builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7))
#define ADD_PIXELS(a, b) \
    (__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) + \
     __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31))

CLT_BODY four_gray(const inputs *in, size_t taps, f32x4 *pixels) {
    f32x4 sums[4] = {{0}}, weights, samples;
    for (size_t t = 0; t < taps; t += 4) {
        for (size_t i = 0; i < 4; i++) {
            memcpy(&weights, in->weights[i] + t, sizeof weights);
            memcpy(&samples, in->samples[i] + t, sizeof samples);
            sums[i] += samples * weights;
        }
    }
    *pixels = ADD_PAIRS(ADD_PAIRS(sums[0], sums[1]), ADD_PAIRS(sums[2], sums[3]));
}

CLT_BODY four_rgba(const inputs *in, size_t taps, f32x16 *pixels) {
    f32x16 sums[4] = {{0}}, samples;
    f32x4 weights;
    for (size_t t = 0; t < taps; t += 4) {
        for (size_t i = 0; i < 4; i++) {
            memcpy(&weights, in->weights[i] + t, sizeof weights);
            memcpy(&samples, in->samples[i] + 4 * t, sizeof samples);
            sums[i] += samples * SPREAD(weights);
        }
    }
    *pixels = ADD_PIXELS(ADD_PIXELS(sums[0], sums[1]), ADD_PIXELS(sums[2], sums[3]));
}

// Writes four pixels, or fewer at the end of the line.
CLT_BODY write_pixels(const void *levels, size_t pixel_size, size_t width, size_t x, uint8_t *line) {
    if (x + 4 <= width) memcpy(line + pixel_size * x, levels, 4 * pixel_size);
    else memcpy(line + pixel_size * x, levels, pixel_size * (width - x));
}

CLT_BODY clt_combine_columns_body(
    bool is_wide, size_t channels, const float *restrict in, const clt_taps *restrict taps, size_t width, void *restrict out) {
    const clt_taps all = *taps;
    inputs found;
    for (size_t x = 0; channels == 1 && x < width; x += 4) {
        f32x4 pixels;
        find_inputs(in, &all, 1, width, x, &found);
        four_gray(&found, all.count, &pixels);
        if (is_wide) {
            u16x4 levels = ROUND(pixels, pixels, 65535.0f, u16x4);
            write_pixels(&levels, 2, width, x, out);
        } else {
            u8x4 levels = ROUND(pixels, pixels, 255.0f, u8x4);
            write_pixels(&levels, 1, width, x, out);
        }
    }
    for (size_t x = 0; channels == 4 && x < width; x += 4) {
        f32x16 pixels;
        find_inputs(in, &all, 4, width, x, &found);
        four_rgba(&found, all.count, &pixels);
        if (is_wide) {
            u16x16 levels = ROUND(pixels, ALPHA(pixels), 65535.0f, u16x16);
            write_pixels(&levels, 8, width, x, out);
        } else {
            u8x16 levels = ROUND(pixels, ALPHA(pixels), 255.0f, u8x16);
            write_pixels(&levels, 4, width, x, out);
        }
    }
}
CLT_KERNEL(
    clt_combine_columns,
    (bool is_wide, size_t channels, const float *in, const clt_taps *taps, size_t width, void *out),
    (is_wide, channels, in, taps, width, out))
