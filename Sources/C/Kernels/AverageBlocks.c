#include "Targets.h"

typedef uint16_t u16x4 __attribute__((vector_size(8)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint8_t u8x4 __attribute__((vector_size(4)));

enum { TILE = 128 };

// Down the columns first: 257 bytes at most add up to 65,535.
CLT_BODY sum_rows(const uint8_t *const *rows, size_t height, size_t count, uint16_t *sums) {
    size_t x = 0;
    for (; x + TILE <= count; x += TILE) {
        uint16_t tile[TILE] = {0};
        for (size_t r = 0; r < height; r++) {
            const uint8_t *row = rows[r] + x;
            for (int i = 0; i < TILE; i++) tile[i] = (uint16_t)(tile[i] + row[i]);
        }
        memcpy(sums + x, tile, sizeof tile);
    }
    for (; x < count; x++) {
        uint16_t sum = 0;
        for (size_t r = 0; r < height; r++) sum = (uint16_t)(sum + rows[r][x]);
        sums[x] = sum;
    }
}

CLT_BODY clt_average_blocks_u8_body(
    const uint8_t *const *rows, size_t height, size_t width, size_t channels, size_t block, uint16_t *sums, uint8_t *out) {
    sum_rows(rows, height, width * channels, sums);
    for (size_t x = 0, start = 0; start < width; x++, start += block) {
        size_t taps = width - start < block ? width - start : block;
        float scale = 1.0f / (float)(taps * height);
        if (channels == 4) {
            u32x4 sum = {0};
            for (size_t t = 0; t < taps; t++) {
                u16x4 pixel;
                memcpy(&pixel, sums + 4 * (start + t), sizeof pixel);
                sum += __builtin_convertvector(pixel, u32x4);
            }
            i32x4 mean = __builtin_convertvector(__builtin_convertvector(sum, f32x4) * scale + 0.5f, i32x4);
            u8x4 bytes = __builtin_convertvector(mean, u8x4);
            memcpy(out + 4 * x, &bytes, sizeof bytes);
        } else {
            uint32_t sum = 0;
            for (size_t t = 0; t < taps; t++) sum += sums[start + t];
            out[x] = (uint8_t)((float)sum * scale + 0.5f);
        }
    }
}
CLT_KERNEL(
    clt_average_blocks_u8,
    (const uint8_t *const *rows, size_t height, size_t width, size_t channels, size_t block, uint16_t *sums, uint8_t *out),
    (rows, height, width, channels, block, sums, out))
