#include "Targets.h"

// A tile of sums stays in registers while all rows are added to it, so each source sample is read once for each row of the result,
// and only the sums are written.
enum { TILE = 64 };

#define COMBINE_ROWS(name, sample) \
    CLT_BODY name##_body(const sample *const *rows, const float *weights, size_t taps, size_t count, float *out) { \
        size_t x = 0; \
        for (; x + TILE <= count; x += TILE) { \
            float sums[TILE] = {0}; \
            for (size_t t = 0; t < taps; t++) { \
                const sample *row = rows[t] + x; \
                float weight = weights[t]; \
                for (int i = 0; i < TILE; i++) sums[i] += weight * (float)row[i]; \
            } \
            memcpy(out + x, sums, sizeof sums); \
        } \
        for (; x + 4 <= count; x += 4) { \
            float sums[4] = {0}; \
            for (size_t t = 0; t < taps; t++) { \
                for (int i = 0; i < 4; i++) sums[i] += weights[t] * (float)rows[t][x + (size_t)i]; \
            } \
            memcpy(out + x, sums, sizeof sums); \
        } \
        for (; x < count; x++) { \
            float sum = 0; \
            for (size_t t = 0; t < taps; t++) sum += weights[t] * (float)rows[t][x]; \
            out[x] = sum; \
        } \
    } \
    CLT_KERNEL( \
        name, (const sample *const *rows, const float *weights, size_t taps, size_t count, float *out), \
        (rows, weights, taps, count, out))

COMBINE_ROWS(clt_combine_rows_u8, uint8_t)
COMBINE_ROWS(clt_combine_rows_u16, uint16_t)
