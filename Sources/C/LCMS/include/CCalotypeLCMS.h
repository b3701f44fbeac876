/// ICC profiles, and conversions of pixel rows from their colours to sRGB, with Little CMS.
#ifndef CCALOTYPE_LCMS_H
#define CCALOTYPE_LCMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCalotypeCodec.h"

/// Whether an ICC profile can be read.
bool clt_profile_is_readable(const uint8_t *icc, size_t count);
/// Writes the profile's description to `scalars` as Unicode scalars, and returns their number.
size_t clt_profile_description(const uint8_t *icc, size_t count, uint32_t *scalars, size_t capacity);
/// Builds an ICC profile from CIE xy chromaticities (white, red, green, blue) and a transfer curve: sRGB's for a `gamma` of 0,
/// otherwise the power `gamma`. Returns its bytes, or NULL. Free them with `clt_profile_free`.
uint8_t *clt_profile_create(const double chromaticities[8], double gamma, size_t *count);
/// Builds an ICC profile like `clt_profile_create`, with a curve of 4096 samples from 0 to 1.
uint8_t *clt_profile_create_sampled(const double chromaticities[8], const float curve[4096], size_t *count);
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

#endif
