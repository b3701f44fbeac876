#include "InstructionSets.h"

// A tile of sums stays in registers while all rows are added to it, so each source sample is read once for each tile,
// and only the sums are written. A tile of two lines of the result is narrower, but needs half as many conversions of
// samples to numbers.
enum { TILE = 64, TILE_OF_TWO = 48 };

#define COMBINE_ROWS(name, sample) \
    CLT_BODY name##_tile( \
        const void *const *rows, const float *weights, size_t taps, size_t start, size_t width, size_t lines, float *const *out) { \
        float sums[2][TILE] = {{0}}; \
        for (size_t t = 0; t < taps; t++) { \
            const sample *row = (const sample *)rows[t] + start; \
            for (size_t i = 0; i < width; i++) { \
                for (size_t k = 0; k < lines; k++) sums[k][i] += weights[k * taps + t] * (float)row[i]; \
            } \
        } \
        for (size_t k = 0; k < lines; k++) memcpy(out[k] + start, sums[k], width * sizeof(float)); \
    } \
    CLT_BODY name##_lines( \
        const void *const *rows, const float *weights, size_t taps, size_t count, size_t lines, float *const *out) { \
        size_t i = 0, width = lines == 2 ? TILE_OF_TWO : TILE; \
        for (; i + width <= count; i += width) name##_tile(rows, weights, taps, i, width, lines, out); \
        /* The last tile overlaps the one before, since a tile of a fixed width is faster. */ \
        if (i < count && count > width) name##_tile(rows, weights, taps, count - width, width, lines, out); \
        else if (i < count) name##_tile(rows, weights, taps, i, count - i, lines, out); \
    } \
    CLT_BODY name(const void *const *rows, const float *weights, size_t taps, size_t count, float *out, float *second) { \
        if (second) name##_lines(rows, weights, taps, count, 2, (float *[]){out, second}); \
        else name##_lines(rows, weights, taps, count, 1, &out); \
    }

COMBINE_ROWS(combine_u8, uint8_t)
COMBINE_ROWS(combine_u16, uint16_t)
COMBINE_ROWS(combine_f32, float)

CLT_BODY clt_combine_rows_body(
    size_t sample_size, const void *const *rows, const float *weights, size_t taps, size_t count, float *out, float *second) {
    switch (sample_size) {
    case 1: combine_u8(rows, weights, taps, count, out, second); return;
    case 2: combine_u16(rows, weights, taps, count, out, second); return;
    default: combine_f32(rows, weights, taps, count, out, second); return;
    }
}
CLT_KERNEL(
    clt_combine_rows,
    (size_t sample_size, const void *const *rows, const float *weights, size_t taps, size_t count, float *out, float *second),
    (sample_size, rows, weights, taps, count, out, second))

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
