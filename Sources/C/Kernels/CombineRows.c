#include "Targets.h"

// A tile of sums stays in registers while all rows are added to it, so each source sample is read once for each row of the result,
// and only the sums are written.
enum { TILE = 64 };

#define COMBINE_ROWS(name, sample) \
    CLT_BODY name##_tile( \
        const void *const *rows, const float *weights, size_t taps, size_t start, size_t width, float *out) { \
        float sums[TILE] = {0}; \
        for (size_t t = 0; t < taps; t++) { \
            const sample *row = (const sample *)rows[t] + start; \
            float weight = weights[t]; \
            for (size_t i = 0; i < width; i++) sums[i] += weight * (float)row[i]; \
        } \
        memcpy(out + start, sums, width * sizeof(float)); \
    } \
    CLT_BODY name(const void *const *rows, const float *weights, size_t taps, size_t count, float *out) { \
        size_t i = 0; \
        for (; i + TILE <= count; i += TILE) name##_tile(rows, weights, taps, i, TILE, out); \
        /* The last tile overlaps the one before, since a tile of a fixed width is faster. */ \
        if (i < count && count > TILE) name##_tile(rows, weights, taps, count - TILE, TILE, out); \
        else if (i < count) name##_tile(rows, weights, taps, i, count - i, out); \
    }

COMBINE_ROWS(combine_u8, uint8_t)
COMBINE_ROWS(combine_u16, uint16_t)
COMBINE_ROWS(combine_f32, float)

CLT_BODY clt_combine_rows_body(
    size_t sample_size, const void *const *rows, const float *weights, size_t taps, size_t count, float *out) {
    switch (sample_size) {
    case 1: combine_u8(rows, weights, taps, count, out); return;
    case 2: combine_u16(rows, weights, taps, count, out); return;
    default: combine_f32(rows, weights, taps, count, out); return;
    }
}
CLT_KERNEL(
    clt_combine_rows,
    (size_t sample_size, const void *const *rows, const float *weights, size_t taps, size_t count, float *out),
    (sample_size, rows, weights, taps, count, out))

#define ROUND_LINE(name, sample, most) \
    CLT_BODY name(const float *restrict in, size_t count, sample *restrict out) { \
        for (size_t i = 0; i < count; i++) { \
            float level = in[i] < most ? in[i] : most; \
            out[i] = (sample)(int32_t)((level > 0 ? level : 0) + 0.5f); \
        } \
    }

ROUND_LINE(clt_round_u8, uint8_t, 255.0f)
ROUND_LINE(clt_round_u16, uint16_t, 65535.0f)
CLT_SAMPLE_KERNEL(clt_round, (const float *in, size_t count, void *out), (in, count, out))
