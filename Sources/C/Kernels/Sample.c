#include "Targets.h"

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));
typedef uint8_t u8x4 __attribute__((vector_size(4)));
typedef uint16_t u16x4 __attribute__((vector_size(8)));

// The weights of the Catmull-Rom cubic for the four samples around a point at the distance `f` after the second sample.
static inline __attribute__((always_inline)) f32x4 cubic_weights(float f) {
    const f32x4 cube = {-0.5f, 1.5f, -1.5f, 0.5f}, square = {1.0f, -2.5f, 2.0f, -0.5f};
    const f32x4 line = {-0.5f, 0.0f, 0.5f, 0.0f}, constant = {0.0f, 1.0f, 0.0f, 0.0f};
    return ((cube * f + square) * f + line) * f + constant;
}

// The pixels of a line from `start` up to `end`, exclusive.
typedef struct span { double start, end; } span;

// Returns the part of `line` whose pixels, at `first + i * step`, are from `low` up to `high`.
static inline span between(span line, double first, double step, double low, double high) {
    if (!(low < high)) return (span){0, 0};
    if (step == 0) return first >= low && first < high ? line : (span){0, 0};
    double a = (low - first) / step, b = (high - first) / step;
    double start = a < b ? a : b, end = a < b ? b : a;
    return (span){start > line.start ? start : line.start, end < line.end ? end : line.end};
}

// Returns the first pixel of a line at `at` or after it.
static inline size_t first_from(double at, size_t count) {
    return at > 0 ? (at < (double)count ? (size_t)__builtin_ceil(at) : count) : 0;
}

// A line has five spans, by the number of a pixel's sixteen samples that are in the image: none, some, all, some, none. The limits
// between none and some are a little too far out, and those between some and all a little too far in, so that rounding cannot make
// them wrong.
#define SAMPLE_LINE(name, sample, samples, four_samples, most) \
    CLT_BODY name##_store(f32x4 sum, sample *out) { \
        float alpha = sum[3] < (most) ? sum[3] : (most); \
        f32x4 level = __builtin_elementwise_max(__builtin_elementwise_min(sum, (f32x4){0} + alpha), (f32x4){0}) + 0.5f; \
        samples rounded = __builtin_convertvector(__builtin_convertvector(level, i32x4), samples); \
        memcpy(out, &rounded, sizeof rounded); \
    } \
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
        all *= __builtin_shufflevector(across, across, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3); \
        name##_store( \
            (__builtin_shufflevector(all, all, 0, 1, 2, 3) + __builtin_shufflevector(all, all, 4, 5, 6, 7)) + \
                (__builtin_shufflevector(all, all, 8, 9, 10, 11) + __builtin_shufflevector(all, all, 12, 13, 14, 15)), \
            out); \
    } \
    CLT_BODY name##_edge(const clt_image *image, double px, double py, sample *out) { \
        ptrdiff_t width = (ptrdiff_t)image->width, height = (ptrdiff_t)image->height; \
        f32x4 sum = {0}; \
        /* Farther out no sample is in the image. The check also limits the numbers that are converted to integers. */ \
        if (px > -2 && py > -2 && px < (double)width + 1 && py < (double)height + 1) { \
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
        } \
        name##_store(sum, out); \
    } \
    CLT_BODY name##_body( \
        const clt_image *image, double x, double y, double dx, double dy, size_t count, sample *out) { \
        double width = (double)image->width, height = (double)image->height; \
        const span line = {0, (double)count}; \
        const double slack = 1.0 / 1024; \
        const span reached = \
            between(between(line, x, dx, -2 - slack, width + 1 + slack), y, dy, -2 - slack, height + 1 + slack); \
        const span whole = between(between(line, x, dx, 1 + slack, width - 2 - slack), y, dy, 1 + slack, height - 2 - slack); \
        size_t start = first_from(reached.start, count), end = first_from(reached.end, count), i = start; \
        size_t inside = first_from(whole.start, count), outside = first_from(whole.end, count); \
        memset(out, 0, start * sizeof(samples)); \
        if (inside < outside) { \
            for (; i < inside; i++) name##_edge(image, x + (double)i * dx, y + (double)i * dy, out + 4 * i); \
            for (; i < outside; i++) name##_inside(image, x + (double)i * dx, y + (double)i * dy, out + 4 * i); \
        } \
        for (; i < end; i++) name##_edge(image, x + (double)i * dx, y + (double)i * dy, out + 4 * i); \
        if (i < count) memset(out + 4 * i, 0, (count - i) * sizeof(samples)); \
    } \
    CLT_KERNEL( \
        name, (const clt_image *image, double x, double y, double dx, double dy, size_t count, sample *out), \
        (image, x, y, dx, dy, count, out))

SAMPLE_LINE(clt_sample_line_u8, uint8_t, u8x4, u8x16, 255.0f)
SAMPLE_LINE(clt_sample_line_u16, uint16_t, u16x4, u16x16, 65535.0f)
