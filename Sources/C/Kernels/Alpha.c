#include "InstructionSets.h"

// The channels of a pixel are read as one word.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Red must be the lowest byte of a word.");

// Two channels in one 32-bit word need one multiplication: red with blue, and green with alpha.
CLT_BODY clt_premultiply_u8_body(void *bytes, size_t count) {
    uint8_t *pixels = bytes;
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * i, 4);
        uint32_t alpha = pixel >> 24;
        // (t + (t >> 8)) >> 8 with t = c · a + 128 is c · a / 255 to the nearest for all bytes.
        uint32_t even = (pixel & 0x00FF00FF) * alpha + 0x00800080;
        uint32_t odd = ((pixel >> 8) & 0xFF) * alpha + 0x80;
        even = ((even + ((even >> 8) & 0x00FF00FF)) >> 8) & 0x00FF00FF;
        odd = ((odd + (odd >> 8)) >> 8) & 0xFF;
        pixel = even | odd << 8 | alpha << 24;
        memcpy(pixels + 4 * i, &pixel, 4);
    }
}
CLT_KERNEL(clt_premultiply_u8, (void *pixels, size_t count), (pixels, count))

// A quotient of such small integers is at least 1/510 away from the next whole number, so a division in single
// precision never rounds across it, and the truncated result is exact.
CLT_BODY clt_unpremultiply_u8_body(void *bytes, size_t count) {
    uint8_t *pixels = bytes;
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * i, 4);
        int32_t alpha = (int32_t)(pixel >> 24);
        float twice = (float)(2 * (alpha > 0 ? alpha : 1));
        int32_t red = (int32_t)((float)((int32_t)(pixel & 0xFF) * 510 + alpha) / twice);
        int32_t green = (int32_t)((float)((int32_t)(pixel >> 8 & 0xFF) * 510 + alpha) / twice);
        int32_t blue = (int32_t)((float)((int32_t)(pixel >> 16 & 0xFF) * 510 + alpha) / twice);
        red = red < 255 ? red : 255;
        green = green < 255 ? green : 255;
        blue = blue < 255 ? blue : 255;
        uint32_t color = (uint32_t)red | (uint32_t)green << 8 | (uint32_t)blue << 16 | (uint32_t)alpha << 24;
        pixel = alpha > 0 ? color : 0;
        memcpy(pixels + 4 * i, &pixel, 4);
    }
}
CLT_KERNEL(clt_unpremultiply_u8, (void *pixels, size_t count), (pixels, count))
