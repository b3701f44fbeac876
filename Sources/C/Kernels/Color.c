#include "FourPixels.h"

#define COLOR_MATRIX(name, sample, samples, most) \
    CLT_BODY name##_body(sample *pixels, size_t count, const float *matrix) { \
        f32x16 red, green, blue, alpha; \
        for (size_t c = 0; c < 16; c++) { \
            red[c] = matrix[c & 3]; \
            green[c] = matrix[4 + (c & 3)]; \
            blue[c] = matrix[8 + (c & 3)]; \
            alpha[c] = matrix[12 + (c & 3)]; \
        } \
        BY_FOURS(sample, MATRIX_FOUR_##samples) \
    } \
    CLT_KERNEL(name, (sample *pixels, size_t count, const float *matrix), (pixels, count, matrix))

#define MATRIX_FOUR(at, samples, most) \
    do { \
        samples bytes; \
        memcpy(&bytes, at, sizeof bytes); \
        f32x16 v = __builtin_convertvector(bytes, f32x16); \
        f32x16 mixed = RED(v) * red + GREEN(v) * green + BLUE(v) * blue + ALPHA(v) * alpha; \
        bytes = ROUND(mixed, most, samples); \
        memcpy(at, &bytes, sizeof bytes); \
    } while (0)
#define MATRIX_FOUR_u8x16(at, offset, left) MATRIX_FOUR(at, u8x16, 255.0f)
#define MATRIX_FOUR_u16x16(at, offset, left) MATRIX_FOUR(at, u16x16, 65535.0f)

COLOR_MATRIX(clt_color_matrix_u8, uint8_t, u8x16, 255.0f)
COLOR_MATRIX(clt_color_matrix_u16, uint16_t, u16x16, 65535.0f)

#define COMPOSITE(name, sample, samples) \
    CLT_BODY name##_body(sample *restrict pixels, const sample *restrict over, size_t count, float opacity) { \
        BY_FOURS(sample, COMPOSITE_FOUR_##samples) \
    } \
    CLT_KERNEL( \
        name, (sample *restrict pixels, const sample *restrict over, size_t count, float opacity), \
        (pixels, over, count, opacity))

#define COMPOSITE_FOUR(at, offset, left, samples, most) \
    do { \
        samples below, above = {0}; \
        memcpy(&below, at, sizeof below); \
        memcpy(&above, over + (offset), (left) * sizeof above[0]); \
        f32x16 top = __builtin_convertvector(above, f32x16) * opacity; \
        f32x16 mixed = top + __builtin_convertvector(below, f32x16) * (1.0f - ALPHA(top) * (1.0f / (most))); \
        below = ROUND(mixed, most, samples); \
        memcpy(at, &below, sizeof below); \
    } while (0)
#define COMPOSITE_FOUR_u8x16(at, offset, left) COMPOSITE_FOUR(at, offset, left, u8x16, 255.0f)
#define COMPOSITE_FOUR_u16x16(at, offset, left) COMPOSITE_FOUR(at, offset, left, u16x16, 65535.0f)

COMPOSITE(clt_composite_u8, uint8_t, u8x16)
COMPOSITE(clt_composite_u16, uint16_t, u16x16)

#define SHARPEN(name, sample, samples, most) \
    CLT_BODY name##_body( \
        sample *restrict pixels, const sample *restrict blurred, size_t count, size_t channels, float amount, float threshold) { \
        if (channels == 4) { \
            BY_FOURS(sample, SHARPEN_FOUR_##samples) \
            return; \
        } \
        for (size_t i = 0; i < count; i++) { \
            float level = (float)pixels[i]; \
            float detail = level - (float)blurred[i]; \
            float sharp = level + ((detail < 0 ? -detail : detail) > threshold ? amount * detail : 0); \
            sharp = sharp < (most) ? sharp : (most); \
            pixels[i] = (sample)(int32_t)((sharp > 0 ? sharp : 0) + 0.5f); \
        } \
    } \
    CLT_KERNEL( \
        name, \
        (sample *restrict pixels, const sample *restrict blurred, size_t count, size_t channels, float amount, \
            float threshold), \
        (pixels, blurred, count, channels, amount, threshold))

// A comparison of vectors sets all bits or none, which is -1 or 0 as a number. Alpha is not changed.
#define SHARPEN_FOUR(at, offset, left, samples, most) \
    do { \
        samples bytes, soft = {0}; \
        memcpy(&bytes, at, sizeof bytes); \
        memcpy(&soft, blurred + (offset), (left) * sizeof soft[0]); \
        f32x16 v = __builtin_convertvector(bytes, f32x16); \
        f32x16 detail = v - __builtin_convertvector(soft, f32x16); \
        i32x16 counts = (__builtin_elementwise_abs(detail) > (f32x16){0} + threshold) & COLOR_LANES; \
        f32x16 sharp = v - __builtin_convertvector(counts, f32x16) * amount * detail; \
        bytes = ROUND(sharp, most, samples); \
        memcpy(at, &bytes, sizeof bytes); \
    } while (0)
#define COLOR_LANES ((i32x16){-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0})
#define SHARPEN_FOUR_u8x16(at, offset, left) SHARPEN_FOUR(at, offset, left, u8x16, 255.0f)
#define SHARPEN_FOUR_u16x16(at, offset, left) SHARPEN_FOUR(at, offset, left, u16x16, 65535.0f)

SHARPEN(clt_sharpen_u8, uint8_t, u8x16, 255.0f)
SHARPEN(clt_sharpen_u16, uint16_t, u16x16, 65535.0f)
