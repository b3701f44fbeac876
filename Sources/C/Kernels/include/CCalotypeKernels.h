#pragma once
// The inner loops of ImageKernels. Each is one C body that is compiled for several instruction sets; `level` selects
// one at run time, and clt_supports must return true for it. Buffers must not overlap. No function allocates memory or
// fails.

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

// Resampling. Samples have 8 bits, or 16 where `is_wide`.

/// out[i] = Σ weights[t] · rows[t][i] for i < count, over `taps` rows; the same for `second`, with the weights after
/// these, unless it is null. Samples have `sample_size` bytes: 1, 2, or 4 for numbers of single precision.
void clt_combine_rows(
    clt_level level, size_t sample_size, const void *const *rows, const float *weights, size_t taps, size_t count, float *out,
    float *second);

/// The samples of a line that make each sample of the result: `count` samples from `first[x]`, with the weights at
/// `weights + x * stride`. Each has weights for a multiple of 4 samples, which are 0 after its last tap.
typedef struct clt_taps {
    const int32_t *first;
    const float *weights;
    size_t stride;
    size_t count;
} clt_taps;

/// Combines the pixels of one line to `width` pixels of 1 or 4 channels, with rounding. Colour is limited to alpha, the
/// last of 4 channels. `in` must have finite numbers for all weights, also those that are 0.
void clt_combine_columns(
    clt_level level, bool is_wide, size_t channels, const float *in, const clt_taps *taps, size_t width, void *out);

/// Rounds a line of `count` samples to the nearest levels.
void clt_round(clt_level level, bool is_wide, const float *in, size_t count, void *out);

// Pixels of four channels, alpha last and premultiplied unless said otherwise. Colour stays at or below alpha.

/// Multiplies colour of 8 bits by alpha in place, rounded to nearest.
void clt_premultiply_u8(clt_level level, void *pixels, size_t count);

/// Divides colour of 8 bits by alpha in place, rounded to nearest with halves up, and limited to 255. Transparent
/// pixels become zero.
void clt_unpremultiply_u8(clt_level level, void *pixels, size_t count);

/// Replaces every pixel by Σ matrix[4k + c] · pixel[k], k from 0 to 3: one column of four for red, green, blue, alpha.
void clt_color_matrix(clt_level level, bool is_wide, void *pixels, size_t count, const float *matrix);

/// Composites `over`, multiplied by `opacity` from 0 to 1, over `pixels`.
void clt_composite(clt_level level, bool is_wide, void *pixels, const void *over, size_t count, float opacity);

/// Replaces the pixels, which are those of a blurred image, by their `source` plus `amount` times the difference, where
/// that is more than `threshold` levels. Alpha is that of the source.
void clt_sharpen(
    clt_level level, bool is_wide, void *pixels, const void *source, size_t count, float amount, float threshold);

// Rotation.

/// An image of four channels that is sampled.
typedef struct clt_image {
    const void *pixels;
    size_t width;
    size_t height;
    size_t bytes_per_row;
} clt_image;

/// out[i] = the image at (x + i · dx, y + i · dy), interpolated with the Catmull-Rom cubic. Pixel centres have whole
/// coordinates, and everything outside the image is transparent.
void clt_sample_line(
    clt_level level, bool is_wide, const clt_image *image, double x, double y, double dx, double dy, size_t count, void *out);
