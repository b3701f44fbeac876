#include "FourPixels.h"

#define COLOR_MATRIX(name, sample, samples, most) \
    CLT_BODY name(sample *pixels, size_t count, const float *matrix) { \
        f32x16 red, green, blue, alpha; \
        for (size_t c = 0; c < 16; c++) { \
            red[c] = matrix[c & 3]; \
            green[c] = matrix[4 + (c & 3)]; \
            blue[c] = matrix[8 + (c & 3)]; \
            alpha[c] = matrix[12 + (c & 3)]; \
        } \
        BY_FOURS(MATRIX_FOUR, sample, samples, most) \
    }
#define MATRIX_FOUR(at, offset, left, samples, most) \
    do { \
        samples bytes; \
        memcpy(&bytes, at, sizeof bytes); \
        f32x16 v = __builtin_convertvector(bytes, f32x16); \
        f32x16 mixed = RED(v) * red + GREEN(v) * green + BLUE(v) * blue + ALPHA(v) * alpha; \
        bytes = ROUND(mixed, ALPHA(mixed), most, samples); \
        memcpy(at, &bytes, sizeof bytes); \
    } while (0)

COLOR_MATRIX(clt_color_matrix_u8, uint8_t, u8x16, 255.0f)
COLOR_MATRIX(clt_color_matrix_u16, uint16_t, u16x16, 65535.0f)
CLT_SAMPLE_KERNEL(clt_color_matrix, (void *pixels, size_t count, const float *matrix), (pixels, count, matrix))

#define COMPOSITE(name, sample, samples, most) \
    CLT_BODY name(sample *restrict pixels, const sample *restrict over, size_t count, float opacity) { \
        BY_FOURS(COMPOSITE_FOUR, sample, samples, most) \
    }
#define COMPOSITE_FOUR(at, offset, left, samples, most) \
    do { \
        samples below, above = {0}; \
        memcpy(&below, at, sizeof below); \
        memcpy(&above, over + (offset), (left) * sizeof above[0]); \
        f32x16 top = __builtin_convertvector(above, f32x16) * opacity; \
        f32x16 mixed = top + __builtin_convertvector(below, f32x16) * (1.0f - ALPHA(top) * (1.0f / (most))); \
        below = ROUND(mixed, ALPHA(mixed), most, samples); \
        memcpy(at, &below, sizeof below); \
    } while (0)

COMPOSITE(clt_composite_u8, uint8_t, u8x16, 255.0f)
COMPOSITE(clt_composite_u16, uint16_t, u16x16, 65535.0f)
CLT_SAMPLE_KERNEL(
    clt_composite, (void *pixels, const void *over, size_t count, float opacity), (pixels, over, count, opacity))

#define SHARPEN(name, sample, samples, most) \
    CLT_BODY name(sample *restrict pixels, const sample *restrict source, size_t count, float amount, float threshold) { \
        BY_FOURS(SHARPEN_FOUR, sample, samples, most) \
    }
// A comparison of vectors sets all bits or none, which is -1 or 0 as a number. Alpha is that of the source.
#define SHARPEN_FOUR(at, offset, left, samples, most) \
    do { \
        samples soft, bytes = {0}; \
        memcpy(&soft, at, sizeof soft); \
        memcpy(&bytes, source + (offset), (left) * sizeof bytes[0]); \
        f32x16 v = __builtin_convertvector(bytes, f32x16); \
        f32x16 detail = v - __builtin_convertvector(soft, f32x16); \
        i32x16 counts = (__builtin_elementwise_abs(detail) > (f32x16){0} + threshold) & COLOR_LANES; \
        f32x16 sharp = v - __builtin_convertvector(counts, f32x16) * amount * detail; \
        bytes = ROUND(sharp, ALPHA(sharp), most, samples); \
        memcpy(at, &bytes, sizeof bytes); \
    } while (0)
#define COLOR_LANES ((i32x16){-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0})

SHARPEN(clt_sharpen_u8, uint8_t, u8x16, 255.0f)
SHARPEN(clt_sharpen_u16, uint16_t, u16x16, 65535.0f)
CLT_SAMPLE_KERNEL(
    clt_sharpen, (void *pixels, const void *source, size_t count, float amount, float threshold),
    (pixels, source, count, amount, threshold))
