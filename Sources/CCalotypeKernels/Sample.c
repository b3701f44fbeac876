#include "Targets.h"

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));
typedef uint8_t u8x4 __attribute__((vector_size(4)));
typedef uint16_t u16x4 __attribute__((vector_size(8)));

// The cubic of Catmull and Rom for the four samples around a point, `f` after the second.
static inline __attribute__((always_inline)) f32x4 cubic_weights(float f) {
    const f32x4 cube = {-0.5f, 1.5f, -1.5f, 0.5f}, square = {1.0f, -2.5f, 2.0f, -0.5f};
    const f32x4 line = {-0.5f, 0.0f, 0.5f, 0.0f}, constant = {0.0f, 1.0f, 0.0f, 0.0f};
    return ((cube * f + square) * f + line) * f + constant;
}

#define SAMPLE_LINE(name, sample, samples, four_samples, most) \
    CLT_BODY name##_body( \
        const clt_picture *picture, double x, double y, double dx, double dy, size_t count, sample *out) { \
        const uint8_t *base = picture->pixels; \
        double width = (double)picture->width, height = (double)picture->height; \
        for (size_t i = 0; i < count; i++) { \
            double px = x + (double)i * dx, py = y + (double)i * dy; \
            f32x4 sum = {0}; \
            /* Farther out no sample is reached; it also bounds what is converted to an integer. */ \
            if (!(px > -2 && py > -2 && px < width + 1 && py < height + 1)) { \
                memset(out + 4 * i, 0, sizeof(samples)); \
                continue; \
            } \
            double fx = __builtin_floor(px), fy = __builtin_floor(py); \
            ptrdiff_t left = (ptrdiff_t)fx - 1, top = (ptrdiff_t)fy - 1; \
            f32x4 across = cubic_weights((float)(px - fx)), down = cubic_weights((float)(py - fy)); \
            bool isInside = left >= 0 && top >= 0 && left + 4 <= (ptrdiff_t)picture->width && \
                            top + 4 <= (ptrdiff_t)picture->height; \
            if (isInside) { \
                const uint8_t *corner = base + (size_t)top * picture->bytes_per_row + (size_t)left * sizeof(samples); \
                f32x16 all = {0}; \
                for (size_t r = 0; r < 4; r++) { \
                    four_samples row; \
                    memcpy(&row, corner + r * picture->bytes_per_row, sizeof row); \
                    all += __builtin_convertvector(row, f32x16) * down[r]; \
                } \
                all *= __builtin_shufflevector(across, across, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3); \
                sum = (__builtin_shufflevector(all, all, 0, 1, 2, 3) + __builtin_shufflevector(all, all, 4, 5, 6, 7)) + \
                      (__builtin_shufflevector(all, all, 8, 9, 10, 11) + \
                          __builtin_shufflevector(all, all, 12, 13, 14, 15)); \
            } else { \
                for (ptrdiff_t r = 0; r < 4; r++) { \
                    if (top + r < 0 || top + r >= (ptrdiff_t)picture->height) continue; \
                    const uint8_t *row = base + (size_t)(top + r) * picture->bytes_per_row; \
                    f32x4 line = {0}; \
                    for (ptrdiff_t c = 0; c < 4; c++) { \
                        if (left + c < 0 || left + c >= (ptrdiff_t)picture->width) continue; \
                        samples pixel; \
                        memcpy(&pixel, row + (size_t)(left + c) * sizeof pixel, sizeof pixel); \
                        line += __builtin_convertvector(pixel, f32x4) * across[c]; \
                    } \
                    sum += line * down[r]; \
                } \
            } \
            float alpha = sum[3] < (most) ? sum[3] : (most); \
            f32x4 level = __builtin_elementwise_max(__builtin_elementwise_min(sum, (f32x4){0} + alpha), (f32x4){0}) + 0.5f; \
            samples rounded = __builtin_convertvector(__builtin_convertvector(level, i32x4), samples); \
            memcpy(out + 4 * i, &rounded, sizeof rounded); \
        } \
    } \
    CLT_KERNEL( \
        name, (const clt_picture *picture, double x, double y, double dx, double dy, size_t count, sample *out), \
        (picture, x, y, dx, dy, count, out))

SAMPLE_LINE(clt_sample_line_u8, uint8_t, u8x4, u8x16, 255.0f)
SAMPLE_LINE(clt_sample_line_u16, uint16_t, u16x4, u16x16, 65535.0f)
