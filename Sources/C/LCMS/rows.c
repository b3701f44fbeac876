#include "CCalotypeLCMS.h"

/// Returns a × b / 255, rounded to nearest. Exact for all bytes.
static uint8_t times(uint32_t a, uint32_t b) {
    uint32_t product = a * b + 128;
    return (uint8_t)((product + (product >> 8)) >> 8);
}

bool clt_premultiply_rgba8(uint8_t *row, uint32_t width) {
    if (clt_is_opaque_rgba8(row, width)) return true;
    for (uint32_t x = 0; x < width; x++) {
        uint8_t *pixel = row + 4 * (size_t)x;
        uint8_t alpha = pixel[3];
        pixel[0] = times(pixel[0], alpha);
        pixel[1] = times(pixel[1], alpha);
        pixel[2] = times(pixel[2], alpha);
    }
    return false;
}

bool clt_premultiply_rgba16(uint16_t *row, uint32_t width) {
    if (clt_is_opaque_rgba16(row, width)) return true;
    for (uint32_t x = 0; x < width; x++) {
        uint16_t *pixel = row + 4 * (size_t)x;
        uint64_t alpha = pixel[3];
        for (int c = 0; c < 3; c++) pixel[c] = (uint16_t)((pixel[c] * alpha + 32767) / 65535);
    }
    return false;
}

void clt_unpremultiply_rgba8(uint8_t *row, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) {
        uint8_t *pixel = row + 4 * (size_t)x;
        uint32_t alpha = pixel[3];
        if (alpha == 255 || alpha == 0) continue;
        for (int c = 0; c < 3; c++) {
            uint32_t straight = (pixel[c] * 255U + alpha / 2) / alpha;
            pixel[c] = straight > 255 ? 255 : (uint8_t)straight;
        }
    }
}

bool clt_is_opaque_rgba8(const uint8_t *row, uint32_t width) {
    uint8_t all = 255;
    for (uint32_t x = 0; x < width; x++) all &= row[4 * (size_t)x + 3];
    return all == 255;
}

bool clt_is_opaque_rgba16(const uint16_t *row, uint32_t width) {
    uint16_t all = 65535;
    for (uint32_t x = 0; x < width; x++) all &= row[4 * (size_t)x + 3];
    return all == 65535;
}

void clt_cmyk_to_rgba8(const uint8_t *source, uint8_t *target, uint32_t width, bool is_inverted) {
    uint8_t flip = is_inverted ? 0 : 255;
    for (uint32_t x = 0; x < width; x++) {
        const uint8_t *ink = source + 4 * (size_t)x;
        uint8_t *pixel = target + 4 * (size_t)x;
        uint8_t white = ink[3] ^ flip;
        pixel[0] = times(ink[0] ^ flip, white);
        pixel[1] = times(ink[1] ^ flip, white);
        pixel[2] = times(ink[2] ^ flip, white);
        pixel[3] = 255;
    }
}

void clt_narrow(const uint16_t *source, uint8_t *target, size_t samples) {
    for (size_t i = 0; i < samples; i++) target[i] = (uint8_t)((source[i] * 255U + 32767) / 65535);
}

void clt_over_white_rgba8(const uint8_t *source, uint8_t *target, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) {
        const uint8_t *pixel = source + 4 * (size_t)x;
        uint8_t rest = (uint8_t)(255 - pixel[3]);
        for (int c = 0; c < 3; c++) {
            uint32_t sum = (uint32_t)pixel[c] + rest;
            target[4 * (size_t)x + (size_t)c] = sum > 255 ? 255 : (uint8_t)sum;
        }
        target[4 * (size_t)x + 3] = 255;
    }
}
