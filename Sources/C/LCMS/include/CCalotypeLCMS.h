/// Conversions of pixel rows: colours of an ICC profile to sRGB with Little CMS, tone mapping, and changes of alpha and layout.
#ifndef CCALOTYPE_LCMS_H
#define CCALOTYPE_LCMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The layout of a pixel in memory. Samples of 16 bits are in the machine's byte order.
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

/// Returns the colour model of an ICC profile.
clt_profile_model clt_profile_read_model(const uint8_t *icc, size_t count);
/// Writes the profile's description to `scalars` as Unicode scalars, and returns their number.
size_t clt_profile_description(const uint8_t *icc, size_t count, uint32_t *scalars, size_t capacity);
/// Builds an ICC profile from CIE xy chromaticities (white, red, green, blue) and a transfer curve: sRGB's for a `gamma` of 0,
/// otherwise the power `gamma`. Returns its bytes, or NULL. Free them with `clt_profile_free`.
uint8_t *clt_profile_create(const double chromaticities[8], double gamma, size_t *count);
void clt_profile_free(uint8_t *icc);

typedef struct clt_transform clt_transform;

/// Creates a conversion to sRGB, or to grey with sRGB's curve; NULL when the profile is damaged or does not fit `source`. It is
/// relative colorimetric without black point compensation, and copies alpha. `is_small`: the image has few pixels, so the
/// preparation must be cheap.
clt_transform *clt_transform_create(
    const uint8_t *icc, size_t count, clt_layout source, clt_layout target, bool is_small);
void clt_transform_destroy(clt_transform *transform);
/// Whether the conversion changes 8-bit colours by one step at most.
bool clt_transform_is_identity(const clt_transform *transform);
/// Converts a row. `source` may be `target` when both layouts are the same.
void clt_transform_row(const clt_transform *transform, const void *source, void *target, uint32_t width);

typedef struct clt_tone_map clt_tone_map;

/// Creates a conversion of HDR pixels to sRGB; NULL without memory. Alpha is copied.
///
/// - `light`: the light of each of 65,536 codes, where 1 is the maximum of the display.
/// - `ratios`: the factor for light, in 4096 steps of the fourth root of light divided by `peak`.
/// - `encoded`: the sRGB code, 0 to 65,535, in 4096 steps of the square root of displayed light.
/// - `peak`: the brightest light of the image.
/// - `system_gamma`: the exponent of luminance that the display applies (0.2 for HLG), or 0 for none.
/// - `luminance`: the weights of red, green and blue in the luminance.
/// - `to_srgb`: the matrix from the file's primaries to sRGB's.
clt_tone_map *clt_tone_map_create(
    clt_layout source, clt_layout target, const float *light, const float *ratios, const float *encoded, float peak,
    float system_gamma, const float luminance[3], const float to_srgb[9]);
void clt_tone_map_destroy(clt_tone_map *map);
void clt_tone_map_row(const clt_tone_map *map, const void *source, void *target, uint32_t width);
/// Builds an ICC profile like `clt_profile_create`, with a curve of 4096 samples from 0 to 1.
uint8_t *clt_profile_create_sampled(const double chromaticities[8], const float curve[4096], size_t *count);

/// Multiplies colour by alpha in place, with rounding. Returns whether every pixel is opaque.
bool clt_premultiply_rgba8(uint8_t *row, uint32_t width);
bool clt_premultiply_rgba16(uint16_t *row, uint32_t width);
/// Divides colour by alpha in place, with rounding.
void clt_unpremultiply_rgba8(uint8_t *row, uint32_t width);
/// Whether every pixel is opaque.
bool clt_is_opaque_rgba8(const uint8_t *row, uint32_t width);
bool clt_is_opaque_rgba16(const uint16_t *row, uint32_t width);
/// Converts CMYK without a profile to opaque RGBA: each colour is (1 - ink) × (1 - black).
void clt_cmyk_to_rgba8(const uint8_t *source, uint8_t *target, uint32_t width, bool is_inverted);
/// Converts `samples` 16-bit samples to 8 bits, with rounding.
void clt_narrow(const uint16_t *source, uint8_t *target, size_t samples);
/// Composites premultiplied RGBA over white. The result is opaque RGBA.
void clt_over_white_rgba8(const uint8_t *source, uint8_t *target, uint32_t width);

#endif
