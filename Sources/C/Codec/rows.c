#include "CCalotypeCodec.h"

/// Returns a × b / 255, rounded to nearest. Exact for all bytes.
static uint8_t times(uint32_t a, uint32_t b) {
    uint32_t product = a * b + 128;
    return (uint8_t)((product + (product >> 8)) >> 8);
}

bool clt_is_opaque_rgba8(const uint8_t *row, size_t width) {
    uint8_t all = 255;
    for (size_t x = 0; x < width; x++) all &= row[4 * x + 3];
    return all == 255;
}

bool clt_is_opaque_rgba16(const uint16_t *row, size_t width) {
    uint16_t all = 65535;
    for (size_t x = 0; x < width; x++) all &= row[4 * x + 3];
    return all == 65535;
}

void clt_cmyk_to_rgba8(const uint8_t *source, uint8_t *target, size_t width, bool is_inverted) {
    uint8_t flip = is_inverted ? 0 : 255;
    for (size_t x = 0; x < width; x++) {
        const uint8_t *ink = source + 4 * x;
        uint8_t *pixel = target + 4 * x;
        uint8_t white = ink[3] ^ flip;
        for (int c = 0; c < 3; c++) pixel[c] = times(ink[c] ^ flip, white);
        pixel[3] = 255;
    }
}

void clt_narrow(const uint16_t *source, uint8_t *target, size_t samples) {
    for (size_t i = 0; i < samples; i++) target[i] = (uint8_t)((source[i] * 255U + 32767) / 65535);
}
