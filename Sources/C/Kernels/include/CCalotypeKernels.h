#pragma once
// The inner loops of ImageKernels. Each is one plain C body, compiled once per instruction set; `level` chooses at run
// time and must be one that clt_supports says yes to. Buffers never overlap. Nothing here allocates or fails.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum clt_level {
    /// What every processor of the architecture has: SSE2 on x86-64, NEON on arm64.
    CLT_BASELINE = 0,
    /// x86-64 with AVX2 and FMA.
    CLT_AVX2 = 1,
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    CLT_AVX512 = 2,
} clt_level;

/// Whether this processor has the instructions of `level`.
bool clt_supports(clt_level level);

// Resampling.

/// out[i] = Σ weights[t] · rows[t][i] for i < count, over `taps` rows.
void clt_combine_rows_u8(
    clt_level level, const uint8_t *const *rows, const float *weights, size_t taps, size_t count, float *out);
void clt_combine_rows_u16(
    clt_level level, const uint16_t *const *rows, const float *weights, size_t taps, size_t count, float *out);

/// Which samples of a line make each sample of the result: `taps[x]` of them from `first[x]`, with the weights at
/// `weights + x * stride`. `stride` is a multiple of 4 and the weights after the last tap are 0.
typedef struct clt_taps {
    const int32_t *first;
    const int32_t *taps;
    const float *weights;
    size_t stride;
} clt_taps;

/// Combines the pixels of one line to `width` pixels, rounded; colour is cut off at alpha (the last of 4 channels).
/// `in` is readable for 3 pixels after the last tap.
void clt_combine_columns_rgba_u8(clt_level level, const float *in, const clt_taps *taps, size_t width, uint8_t *out);
void clt_combine_columns_rgba_u16(clt_level level, const float *in, const clt_taps *taps, size_t width, uint16_t *out);
void clt_combine_columns_gray_u8(clt_level level, const float *in, const clt_taps *taps, size_t width, uint8_t *out);
void clt_combine_columns_gray_u16(clt_level level, const float *in, const clt_taps *taps, size_t width, uint16_t *out);

// Pixels of four channels, alpha last and premultiplied unless said otherwise. Colour stays at or below alpha.

/// Multiplies colour by alpha in place; rounds to the nearest.
void clt_premultiply_u8(clt_level level, uint8_t *pixels, size_t count);

/// Divides colour by alpha in place; rounds to the nearest, a half up, and cuts off at full. Transparent becomes zero.
void clt_unpremultiply_u8(clt_level level, uint8_t *pixels, size_t count);

/// Replaces every pixel by Σ matrix[4k + c] · pixel[k], k from 0 to 3: one column of four for red, green, blue, alpha.
void clt_color_matrix_u8(clt_level level, uint8_t *pixels, size_t count, const float *matrix);
void clt_color_matrix_u16(clt_level level, uint16_t *pixels, size_t count, const float *matrix);

/// Lays `over`, times `opacity` from 0 to 1, over `pixels`.
void clt_composite_u8(clt_level level, uint8_t *pixels, const uint8_t *over, size_t count, float opacity);
void clt_composite_u16(clt_level level, uint16_t *pixels, const uint16_t *over, size_t count, float opacity);

// Blurring. `channels` is 1 or 4.

/// out[i] = Σ weights[t] · in[i + t · channels] for i < count, over an odd number of taps that mirror at the middle one.
/// `in` is readable for (taps - 1) · channels samples after the last.
void clt_convolve(
    clt_level level, const float *in, const float *weights, size_t taps, size_t channels, size_t count, float *out);

/// Rounds a line of `count` samples to the nearest levels.
void clt_round_u8(clt_level level, const float *in, size_t count, uint8_t *out);
void clt_round_u16(clt_level level, const float *in, size_t count, uint16_t *out);

/// Adds `amount` times what `blurred` lacks of the pixels, where that is more than `threshold` levels. With four channels
/// colour is cut off at alpha, which stays.
void clt_sharpen_u8(
    clt_level level, uint8_t *pixels, const uint8_t *blurred, size_t count, size_t channels, float amount, float threshold);
void clt_sharpen_u16(
    clt_level level, uint16_t *pixels, const uint16_t *blurred, size_t count, size_t channels, float amount, float threshold);

// Turning.

/// An image of four channels to take samples from.
typedef struct clt_image {
    const void *pixels;
    size_t width;
    size_t height;
    size_t bytes_per_row;
} clt_image;

/// out[i] = the image at (x + i · dx, y + i · dy), by the cubic of Catmull and Rom; pixel centres lie at whole numbers
/// and all outside is transparent.
void clt_sample_line_u8(
    clt_level level, const clt_image *image, double x, double y, double dx, double dy, size_t count, uint8_t *out);
void clt_sample_line_u16(
    clt_level level, const clt_image *image, double x, double y, double dx, double dy, size_t count, uint16_t *out);
