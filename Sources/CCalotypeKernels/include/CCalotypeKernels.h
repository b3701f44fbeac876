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

// Threads.

/// Runs body(context, i) for every i < count, each on a thread of its own, the first on the caller's; returns when all
/// have. Where no thread can be had, the caller's does its work.
void clt_run_together(size_t count, void (*body)(void *context, size_t index), void *context);
