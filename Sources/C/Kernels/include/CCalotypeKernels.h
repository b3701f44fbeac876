#pragma once
// The inner loops of ImageKernels. Each is one C body that is compiled for several instruction sets; `level` selects one at run
// time, and clt_supports must return true for it. Buffers must not overlap. No function allocates memory or fails.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum clt_level {
    /// The instructions of every processor of the architecture: SSE2 on x86-64, NEON on arm64.
    CLT_BASELINE = 0,
    /// x86-64 with AVX2 and FMA.
    CLT_AVX2 = 1,
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    CLT_AVX512 = 2,
} clt_level;

/// Whether the processor has the instructions of `level`.
bool clt_supports(clt_level level);

// Resampling.

/// out[i] = Σ weights[t] · rows[t][i] for i < count, over `taps` rows.
void clt_combine_rows_u8(
    clt_level level, const uint8_t *const *rows, const float *weights, size_t taps, size_t count, float *out);
void clt_combine_rows_u16(
    clt_level level, const uint16_t *const *rows, const float *weights, size_t taps, size_t count, float *out);

/// The samples of a line that make each sample of the result: `taps[x]` samples from `first[x]`, with the weights at
/// `weights + x * stride`. `stride` is a multiple of 4, and the weights after the last tap are 0.
typedef struct clt_taps {
    const int32_t *first;
    const int32_t *taps;
    const float *weights;
    size_t stride;
} clt_taps;

/// Combines the pixels of one line to `width` pixels, with rounding. Colour is limited to alpha, the last of 4 channels.
/// `in` must be readable for 3 pixels after the last tap.
void clt_combine_columns_rgba_u8(clt_level level, const float *in, const clt_taps *taps, size_t width, uint8_t *out);
void clt_combine_columns_rgba_u16(clt_level level, const float *in, const clt_taps *taps, size_t width, uint16_t *out);
void clt_combine_columns_gray_u8(clt_level level, const float *in, const clt_taps *taps, size_t width, uint8_t *out);
void clt_combine_columns_gray_u16(clt_level level, const float *in, const clt_taps *taps, size_t width, uint16_t *out);

// Pixels of four channels, alpha last and premultiplied unless said otherwise. Colour stays at or below alpha.

/// Multiplies colour by alpha in place, rounded to nearest.
void clt_premultiply_u8(clt_level level, uint8_t *pixels, size_t count);

/// Divides colour by alpha in place, rounded to nearest with halves up, and limited to 255. Transparent pixels become zero.
void clt_unpremultiply_u8(clt_level level, uint8_t *pixels, size_t count);

/// Replaces every pixel by Σ matrix[4k + c] · pixel[k], k from 0 to 3: one column of four for red, green, blue, alpha.
void clt_color_matrix_u8(clt_level level, uint8_t *pixels, size_t count, const float *matrix);
void clt_color_matrix_u16(clt_level level, uint16_t *pixels, size_t count, const float *matrix);

/// Composites `over`, multiplied by `opacity` from 0 to 1, over `pixels`.
void clt_composite_u8(clt_level level, uint8_t *pixels, const uint8_t *over, size_t count, float opacity);
void clt_composite_u16(clt_level level, uint16_t *pixels, const uint16_t *over, size_t count, float opacity);

// Blurring. `channels` is 1 or 4.

/// out[i] = Σ weights[t] · in[i + t · channels] for i < count, over an odd number of taps that mirror at the middle one.
/// `in` must be readable for (taps - 1) · channels samples after the last.
void clt_convolve(
    clt_level level, const float *in, const float *weights, size_t taps, size_t channels, size_t count, float *out);

/// Rounds a line of `count` samples to the nearest levels.
void clt_round_u8(clt_level level, const float *in, size_t count, uint8_t *out);
void clt_round_u16(clt_level level, const float *in, size_t count, uint16_t *out);

/// Adds `amount` times the difference between pixel and `blurred`, where it is more than `threshold` levels. With four channels
/// alpha is kept and limits colour.
void clt_sharpen_u8(
    clt_level level, uint8_t *pixels, const uint8_t *blurred, size_t count, size_t channels, float amount, float threshold);
void clt_sharpen_u16(
    clt_level level, uint16_t *pixels, const uint16_t *blurred, size_t count, size_t channels, float amount, float threshold);

// Rotation.

/// An image of four channels that is sampled.
typedef struct clt_image {
    const void *pixels;
    size_t width;
    size_t height;
    size_t bytes_per_row;
} clt_image;

/// out[i] = the image at (x + i · dx, y + i · dy), interpolated with the Catmull-Rom cubic. Pixel centres have whole coordinates, and
/// everything outside the image is transparent.
void clt_sample_line_u8(
    clt_level level, const clt_image *image, double x, double y, double dx, double dy, size_t count, uint8_t *out);
void clt_sample_line_u16(
    clt_level level, const clt_image *image, double x, double y, double dx, double dy, size_t count, uint16_t *out);
