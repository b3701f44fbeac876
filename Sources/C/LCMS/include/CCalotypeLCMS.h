/// Little CMS: colours of one profile to sRGB, and rows of pixels on their way to the canonical form.
#ifndef CCALOTYPE_LCMS_H
#define CCALOTYPE_LCMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How a pixel lies in memory, samples of 16 bits in the machine's order.
typedef enum {
    CLT_GRAY8 = 0,
    CLT_RGBA8 = 1,
    CLT_GRAY16 = 2,
    CLT_RGBA16 = 3,
    /// 255 is full ink.
    CLT_CMYK8 = 4,
    /// 0 is full ink.
    CLT_CMYK8_INVERTED = 5
} clt_layout;

typedef enum {
    CLT_PROFILE_INVALID = 0,
    CLT_PROFILE_GRAY = 1,
    CLT_PROFILE_RGB = 2,
    CLT_PROFILE_CMYK = 3,
    CLT_PROFILE_OTHER = 4
} clt_profile_model;

/// What kind of device an ICC profile describes.
clt_profile_model clt_profile_read_model(const uint8_t *icc, size_t count);
/// The profile's description as Unicode scalars; how many were written to `scalars`.
size_t clt_profile_description(const uint8_t *icc, size_t count, uint32_t *scalars, size_t capacity);
/// Builds an ICC profile from CIE xy chromaticities (white, red, green, blue) and a transfer curve: sRGB's for a
/// `gamma` of 0, else a power. Returns its bytes, freed with `clt_profile_free`, or NULL.
uint8_t *clt_profile_create(const double chromaticities[8], double gamma, size_t *count);
void clt_profile_free(uint8_t *icc);

typedef struct clt_transform clt_transform;

/// A conversion to sRGB, or to a grey with sRGB's curve: relative colorimetric, no black point compensation, alpha copied.
/// NULL where the profile is broken or not for `source`. `is_small`: few pixels follow, so preparing must be cheap.
clt_transform *clt_transform_create(
    const uint8_t *icc, size_t count, clt_layout source, clt_layout target, bool is_small);
void clt_transform_destroy(clt_transform *transform);
/// Whether 8-bit colours come out as they went in, within one step.
bool clt_transform_is_identity(const clt_transform *transform);
/// Converts a row; `source` may be `target` where both layouts are the same.
void clt_transform_row(const clt_transform *transform, const void *source, void *target, uint32_t width);

typedef struct clt_tone_map clt_tone_map;

/// A conversion of HDR pixels to sRGB, by tables: `light` gives for each of 65536 codes its light, 1 being the brightest
/// that can be shown; `ratios` what light is multiplied by, at the fourth root of its share in `peak`, 4096 steps;
/// `encoded` the sRGB code (0 to 65535) at the square root of shown light, 4096 steps. `system_gamma`: the exponent of
/// luminance that the signal leaves to the display (HLG's 0.2), or 0; `luminance` are the weights of the colours in it,
/// and `to_srgb` the matrix from the file's colours to sRGB's. Alpha is copied. NULL without memory.
clt_tone_map *clt_tone_map_create(
    clt_layout source, clt_layout target, const float *light, const float *ratios, const float *encoded, float peak,
    float system_gamma, const float luminance[3], const float to_srgb[9]);
void clt_tone_map_destroy(clt_tone_map *map);
void clt_tone_map_row(const clt_tone_map *map, const void *source, void *target, uint32_t width);
/// Builds an ICC profile like `clt_profile_create`, of a curve given as 4096 samples from 0 to 1.
uint8_t *clt_profile_create_sampled(const double chromaticities[8], const float curve[4096], size_t *count);

/// Multiplies colour by alpha in place, rounding; returns whether every pixel was opaque.
bool clt_premultiply_rgba8(uint8_t *row, uint32_t width);
bool clt_premultiply_rgba16(uint16_t *row, uint32_t width);
/// Divides colour by alpha in place, rounding.
void clt_unpremultiply_rgba8(uint8_t *row, uint32_t width);
/// Whether every pixel is opaque.
bool clt_is_opaque_rgba8(const uint8_t *row, uint32_t width);
bool clt_is_opaque_rgba16(const uint16_t *row, uint32_t width);
/// CMYK to opaque RGBA without a profile: each colour is (1 - ink) × (1 - black).
void clt_cmyk_to_rgba8(const uint8_t *source, uint8_t *target, uint32_t width, bool is_inverted);
/// 16-bit samples to 8 bits, rounded: `samples` of them.
void clt_narrow(const uint16_t *source, uint8_t *target, size_t samples);
/// Composites premultiplied RGBA over white, giving opaque RGBA.
void clt_over_white_rgba8(const uint8_t *source, uint8_t *target, uint32_t width);

#endif
