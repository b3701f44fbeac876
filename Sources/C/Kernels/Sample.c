#include "FourPixels.h"

// The weights of the Catmull-Rom cubic for the four samples around a point at the distance `f` after the second sample.
static inline __attribute__((always_inline)) f32x4 cubic_weights(float f) {
    const f32x4 cube = {-0.5f, 1.5f, -1.5f, 0.5f}, square = {1.0f, -2.5f, 2.0f, -0.5f};
    const f32x4 line = {-0.5f, 0.0f, 0.5f, 0.0f}, constant = {0.0f, 1.0f, 0.0f, 0.0f};
    return ((cube * f + square) * f + line) * f + constant;
}

#define SAMPLE_LINE(name, sample, samples, four_samples, most) \
    CLT_BODY name##_store(f32x4 sum, sample *out) { \
        samples rounded = ROUND(sum, (f32x4){0} + sum[3], most, samples); \
        memcpy(out, &rounded, sizeof rounded); \
    } \
    /* All sixteen samples around the point are in the image. */ \
    CLT_BODY name##_inside(const clt_image *image, double px, double py, sample *out) { \
        double fx = __builtin_floor(px), fy = __builtin_floor(py); \
        f32x4 across = cubic_weights((float)(px - fx)), down = cubic_weights((float)(py - fy)); \
        const uint8_t *corner = (const uint8_t *)image->pixels + ((size_t)fy - 1) * image->bytes_per_row + \
                                ((size_t)fx - 1) * sizeof(samples); \
        f32x16 all = {0}; \
        for (size_t r = 0; r < 4; r++) { \
            four_samples row; \
            memcpy(&row, corner + r * image->bytes_per_row, sizeof row); \
            all += __builtin_convertvector(row, f32x16) * down[r]; \
        } \
        all *= SPREAD(across); \
        name##_store(FOLD(all), out); \
    } \
    CLT_BODY name##_edge(const clt_image *image, double px, double py, sample *out) { \
        ptrdiff_t width = (ptrdiff_t)image->width, height = (ptrdiff_t)image->height; \
        /* Farther out no sample is in the image. The check also limits the numbers that are converted to integers. */ \
        if (!(px > -2 && py > -2 && px < (double)width + 1 && py < (double)height + 1)) { \
            memset(out, 0, sizeof(samples)); \
            return; \
        } \
        f32x4 sum = {0}; \
        double fx = __builtin_floor(px), fy = __builtin_floor(py); \
        ptrdiff_t left = (ptrdiff_t)fx - 1, top = (ptrdiff_t)fy - 1; \
        f32x4 across = cubic_weights((float)(px - fx)), down = cubic_weights((float)(py - fy)); \
        for (ptrdiff_t r = 0; r < 4; r++) { \
            if (top + r < 0 || top + r >= height) continue; \
            const uint8_t *row = (const uint8_t *)image->pixels + (size_t)(top + r) * image->bytes_per_row; \
            f32x4 line = {0}; \
            for (ptrdiff_t c = 0; c < 4; c++) { \
                if (left + c < 0 || left + c >= width) continue; \
                samples pixel; \
                memcpy(&pixel, row + (size_t)(left + c) * sizeof pixel, sizeof pixel); \
                line += __builtin_convertvector(pixel, f32x4) * across[c]; \
            } \
            sum += line * down[r]; \
        } \
        name##_store(sum, out); \
    } \
    CLT_BODY name(const clt_image *image, double x, double y, double dx, double dy, size_t count, sample *out) { \
        double right = (double)image->width - 2, bottom = (double)image->height - 2; \
        for (size_t i = 0; i < count; i++) { \
            double px = x + (double)i * dx, py = y + (double)i * dy; \
            if (px >= 1 && py >= 1 && px < right && py < bottom) name##_inside(image, px, py, out + 4 * i); \
            else name##_edge(image, px, py, out + 4 * i); \
        } \
    }

SAMPLE_LINE(clt_sample_line_u8, uint8_t, u8x4, u8x16, 255.0f)
SAMPLE_LINE(clt_sample_line_u16, uint16_t, u16x4, u16x16, 65535.0f)
CLT_SAMPLE_KERNEL(
    clt_sample_line, (const clt_image *image, double x, double y, double dx, double dy, size_t count, void *out),
    (image, x, y, dx, dy, count, out))
