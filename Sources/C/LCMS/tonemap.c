#include "CCalotypeLCMS.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clt_tone_map {
    clt_layout source, target;
    float light[65536], ratios[4097], encoded[4097];
    float peak, system_gamma, luminance[3], to_srgb[9];
};

clt_tone_map *clt_tone_map_create(
    clt_layout source, clt_layout target, const float *light, const float *ratios, const float *encoded, float peak,
    float system_gamma, const float luminance[3], const float to_srgb[9]) {
    clt_tone_map *map = malloc(sizeof *map);
    if (!map) return NULL;
    map->source = source;
    map->target = target;
    memcpy(map->light, light, sizeof map->light);
    memcpy(map->ratios, ratios, 4096 * sizeof *ratios);
    memcpy(map->encoded, encoded, 4096 * sizeof *encoded);
    // An extra step, so that interpolation after the last step needs no check.
    map->ratios[4096] = ratios[4095];
    map->encoded[4096] = encoded[4095];
    map->peak = peak;
    map->system_gamma = system_gamma;
    memcpy(map->luminance, luminance, sizeof map->luminance);
    memcpy(map->to_srgb, to_srgb, sizeof map->to_srgb);
    return map;
}

void clt_tone_map_destroy(clt_tone_map *map) { free(map); }

/// Returns the table's interpolated value at `place`, 0 to 1.
static float look_up(const float *table, float place) {
    float at = place * 4095.0F;
    int step = (int)at;
    float rest = at - (float)step;
    return table[step] + (table[step + 1] - table[step]) * rest;
}

/// Converts one colour from 16-bit codes to 16-bit sRGB codes.
static void map_color(const clt_tone_map *map, const uint16_t code[3], uint16_t result[3]) {
    float light[3];
    for (int c = 0; c < 3; c++) light[c] = map->light[code[c]];
    if (map->system_gamma > 0) {
        float luminance = 0;
        for (int c = 0; c < 3; c++) luminance += light[c] / map->peak * map->luminance[c];
        float factor = luminance > 0 ? powf(luminance, map->system_gamma) : 0;
        for (int c = 0; c < 3; c++) light[c] *= factor;
    }
    float most = fmaxf(light[0], fmaxf(light[1], light[2]));
    float share = fminf(most / map->peak, 1);
    float ratio = look_up(map->ratios, sqrtf(sqrtf(share)));
    for (int c = 0; c < 3; c++) {
        const float *row = map->to_srgb + 3 * (size_t)c;
        float shown = (row[0] * light[0] + row[1] * light[1] + row[2] * light[2]) * ratio;
        shown = fminf(fmaxf(shown, 0), 1);
        result[c] = (uint16_t)(look_up(map->encoded, sqrtf(shown)) + 0.5F);
    }
}

static uint8_t narrow(uint16_t value) { return (uint8_t)((value * 255U + 32767) / 65535); }

void clt_tone_map_row(const clt_tone_map *map, const void *source, void *target, uint32_t width) {
    bool is_gray = map->source == CLT_GRAY8 || map->source == CLT_GRAY16;
    bool is_wide = map->source == CLT_GRAY16 || map->source == CLT_RGBA16;
    bool stays_wide = map->target == CLT_GRAY16 || map->target == CLT_RGBA16;
    size_t channels = is_gray ? 1 : 4;
    uint16_t last[3] = {0, 0, 0}, result[3] = {0, 0, 0};
    map_color(map, last, result);
    for (size_t x = 0; x < width; x++) {
        uint16_t pixel[4];
        for (size_t c = 0; c < channels; c++) {
            size_t at = channels * x + c;
            pixel[c] = is_wide ? ((const uint16_t *)source)[at] : (uint16_t)(((const uint8_t *)source)[at] * 257);
        }
        if (is_gray) pixel[1] = pixel[2] = pixel[0];
        // Neighbouring pixels are often equal.
        if (memcmp(pixel, last, sizeof last) != 0) {
            memcpy(last, pixel, sizeof last);
            map_color(map, last, result);
        }
        memcpy(pixel, result, sizeof result);
        for (size_t c = 0; c < channels; c++) {
            size_t at = channels * x + c;
            if (stays_wide) {
                ((uint16_t *)target)[at] = pixel[c];
            } else {
                ((uint8_t *)target)[at] = narrow(pixel[c]);
            }
        }
    }
}
