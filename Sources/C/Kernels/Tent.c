#include "Targets.h"

enum { TILE = 64 };

// Both sums of a block come from additions alone: going from its last row to its first, adding the sum so far again and
// again counts the last row once for each row that the block has.
CLT_BODY tent_tile(const uint8_t *const *rows, size_t factor, size_t x, size_t width, uint16_t *rising, uint16_t *out) {
    uint16_t sum[TILE] = {0}, rise[TILE] = {0};
    for (size_t r = factor; r-- > 0;) {
        const uint8_t *row = rows[r] + x;
        for (size_t i = 0; i < width; i++) {
            sum[i] = (uint16_t)(sum[i] + row[i]);
            rise[i] = (uint16_t)(rise[i] + sum[i]);
        }
    }
    for (size_t i = 0; i < width; i++) {
        out[x + i] = (uint16_t)(rising[x + i] + sum[i] * (uint16_t)factor - rise[i]);
        rising[x + i] = rise[i];
    }
}

CLT_BODY clt_tent_rows_u8_body(const uint8_t *const *rows, size_t factor, size_t count, uint16_t *rising, uint16_t *out) {
    size_t x = 0;
    for (; x + TILE <= count; x += TILE) tent_tile(rows, factor, x, TILE, rising, out);
    if (x < count) tent_tile(rows, factor, x, count - x, rising, out);
}
CLT_KERNEL(
    clt_tent_rows_u8, (const uint8_t *const *rows, size_t factor, size_t count, uint16_t *rising, uint16_t *out),
    (rows, factor, count, rising, out))

typedef uint16_t u16x4 __attribute__((vector_size(8)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint8_t u8x4 __attribute__((vector_size(4)));

CLT_BODY clt_tent_columns_u8_body(
    const uint16_t *line, size_t factor, size_t channels, float scale, size_t count, uint8_t *out) {
    if (channels == 4) {
        u32x4 before = {0};
        for (size_t block = 0; block <= count; block++) {
            u32x4 sum = {0}, rise = {0};
            for (size_t t = factor; t-- > 0;) {
                u16x4 pixel;
                memcpy(&pixel, line + 4 * (block * factor + t), sizeof pixel);
                sum += __builtin_convertvector(pixel, u32x4);
                rise += sum;
            }
            u32x4 all = before + sum * (uint32_t)factor - rise;
            before = rise;
            if (block == 0) continue;
            i32x4 mean = __builtin_convertvector(__builtin_convertvector(all, f32x4) * scale + 0.5f, i32x4);
            u8x4 bytes = __builtin_convertvector(mean, u8x4);
            memcpy(out + 4 * (block - 1), &bytes, sizeof bytes);
        }
        return;
    }
    uint32_t before = 0;
    for (size_t block = 0; block <= count; block++) {
        uint32_t sum = 0, rise = 0;
        for (size_t t = factor; t-- > 0;) {
            sum += line[block * factor + t];
            rise += sum;
        }
        if (block > 0) out[block - 1] = (uint8_t)((float)(before + sum * (uint32_t)factor - rise) * scale + 0.5f);
        before = rise;
    }
}
CLT_KERNEL(
    clt_tent_columns_u8,
    (const uint16_t *line, size_t factor, size_t channels, float scale, size_t count, uint8_t *out),
    (line, factor, channels, scale, count, out))
