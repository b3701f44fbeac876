#include "CCalotypeLCMS.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <lcms2.h>

struct clt_transform {
    cmsHTRANSFORM handle;
    clt_layout source, target;
    /// For grey pixels with an RGB profile: the 16-bit result for each source value. Otherwise NULL.
    uint16_t *gray_table;
};

static cmsUInt32Number type_of(clt_layout layout) {
    switch (layout) {
    case CLT_GRAY8: return TYPE_GRAY_8;
    case CLT_GRAY16: return TYPE_GRAY_16;
    case CLT_RGBA16: return TYPE_RGBA_16;
    case CLT_CMYK8: return TYPE_CMYK_8;
    case CLT_CMYK8_INVERTED: return TYPE_CMYK_8_REV;
    case CLT_RGBA8: break;
    }
    return TYPE_RGBA_8;
}

static cmsHPROFILE open_profile(const uint8_t *icc, size_t count) {
    if (count > UINT32_MAX) return NULL;
    return cmsOpenProfileFromMem(icc, (cmsUInt32Number)count);
}

bool clt_profile_is_readable(const uint8_t *icc, size_t count) {
    cmsHPROFILE profile = open_profile(icc, count);
    if (profile) cmsCloseProfile(profile);
    return profile != NULL;
}

size_t clt_profile_description(const uint8_t *icc, size_t count, uint32_t *scalars, size_t capacity) {
    cmsHPROFILE profile = open_profile(icc, count);
    if (!profile) return 0;
    wchar_t text[256] = {0};
    cmsGetProfileInfo(profile, cmsInfoDescription, "en", "US", text, sizeof text);
    cmsCloseProfile(profile);
    size_t length = 0;
    while (length < 255 && length < capacity && text[length]) {
        scalars[length] = (uint32_t)text[length];
        length++;
    }
    return length;
}

/// The curve of IEC 61966-2-1 in the parametric form 4 of ICC.1: (a x + b)^g above d, c x below.
static cmsToneCurve *srgb_curve(void) {
    const cmsFloat64Number parameters[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    return cmsBuildParametricToneCurve(NULL, 4, parameters);
}

/// Returns the bytes of a profile, and frees the curve.
static uint8_t *profile_of(const double chromaticities[8], cmsToneCurve *curve, size_t *count) {
    if (!curve) return NULL;
    const cmsCIExyY white = {chromaticities[0], chromaticities[1], 1};
    const cmsCIExyYTRIPLE primaries = {
        {chromaticities[2], chromaticities[3], 1},
        {chromaticities[4], chromaticities[5], 1},
        {chromaticities[6], chromaticities[7], 1},
    };
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves);
    cmsFreeToneCurve(curve);
    if (!profile) return NULL;
    uint8_t *icc = NULL;
    cmsUInt32Number size = 0;
    if (cmsSaveProfileToMem(profile, NULL, &size) && size > 0) {
        icc = malloc(size);
        if (icc && !cmsSaveProfileToMem(profile, icc, &size)) {
            free(icc);
            icc = NULL;
        }
    }
    cmsCloseProfile(profile);
    *count = size;
    return icc;
}

uint8_t *clt_profile_create(const double chromaticities[8], double gamma, size_t *count) {
    return profile_of(chromaticities, gamma > 0 ? cmsBuildGamma(NULL, gamma) : srgb_curve(), count);
}

uint8_t *clt_profile_create_sampled(const double chromaticities[8], const float curve[4096], size_t *count) {
    return profile_of(chromaticities, cmsBuildTabulatedToneCurveFloat(NULL, 4096, curve), count);
}

void clt_profile_free(uint8_t *icc) { free(icc); }

/// Creates the transform between two profiles, or returns NULL.
static cmsHTRANSFORM connect(
    cmsHPROFILE from, cmsUInt32Number from_type, cmsHPROFILE to, cmsUInt32Number to_type, cmsUInt32Number flags) {
    return cmsCreateTransform(from, from_type, to, to_type, INTENT_RELATIVE_COLORIMETRIC, flags);
}

/// Makes the table for grey pixels with an RGB profile: each of `count` grey levels is converted as equal red, green and blue.
static uint16_t *gray_through_rgb(cmsHPROFILE profile, uint32_t count) {
    cmsHPROFILE srgb = cmsCreate_sRGBProfile();
    cmsHTRANSFORM handle = srgb ? connect(profile, TYPE_RGB_16, srgb, TYPE_RGB_16, cmsFLAGS_NOOPTIMIZE) : NULL;
    uint16_t *table = handle ? malloc(count * sizeof *table) : NULL;
    for (uint32_t step = 0; table && step < count; step++) {
        uint16_t level = (uint16_t)(65535U * step / (count - 1));
        uint16_t gray[3] = {level, level, level}, color[3] = {0};
        cmsDoTransform(handle, gray, color, 1);
        // The luminance of BT.709. The three components are nearly equal.
        table[step] = (uint16_t)((color[0] * 54U + color[1] * 183U + color[2] * 19U + 128) / 256);
    }
    if (handle) cmsDeleteTransform(handle);
    if (srgb) cmsCloseProfile(srgb);
    return table;
}

static void look_up_row(const clt_transform *transform, const void *source, void *target, uint32_t width) {
    for (size_t x = 0; x < width; x++) {
        bool is_wide = transform->source == CLT_GRAY16;
        uint16_t value = transform->gray_table[is_wide ? ((const uint16_t *)source)[x] : ((const uint8_t *)source)[x]];
        if (transform->target == CLT_GRAY16) {
            ((uint16_t *)target)[x] = value;
        } else {
            clt_narrow(&value, (uint8_t *)target + x, 1);
        }
    }
}

static cmsHPROFILE target_profile(bool is_gray) {
    if (!is_gray) return cmsCreate_sRGBProfile();
    cmsToneCurve *curve = srgb_curve();
    if (!curve) return NULL;
    cmsHPROFILE profile = cmsCreateGrayProfile(cmsD50_xyY(), curve);
    cmsFreeToneCurve(curve);
    return profile;
}

clt_transform *clt_transform_create(
    const uint8_t *icc, size_t count, clt_layout source, clt_layout target, bool is_small) {
    cmsHPROFILE profile = open_profile(icc, count);
    if (!profile) return NULL;
    clt_transform *transform = calloc(1, sizeof *transform);
    if (!transform) {
        cmsCloseProfile(profile);
        return NULL;
    }
    transform->source = source;
    transform->target = target;
    bool is_gray = clt_is_gray(source);
    bool is_cmyk = source == CLT_CMYK8 || source == CLT_CMYK8_INVERTED;
    cmsColorSpaceSignature space = cmsGetColorSpace(profile);
    if (is_gray && space == cmsSigRgbData) {
        transform->gray_table = gray_through_rgb(profile, source == CLT_GRAY8 ? 256 : 65536);
    } else if (space == (is_gray ? cmsSigGrayData : is_cmyk ? cmsSigCmykData : cmsSigRgbData)) {
        cmsHPROFILE to = target_profile(clt_is_gray(target));
        // Grey and CMYK pixels have no alpha to copy.
        cmsUInt32Number flags = is_gray || is_cmyk ? 0 : cmsFLAGS_COPY_ALPHA;
        if (is_cmyk && is_small) flags |= cmsFLAGS_NOOPTIMIZE;
        if (to) {
            transform->handle = connect(profile, type_of(source), to, type_of(target), flags);
            cmsCloseProfile(to);
        }
    }
    cmsCloseProfile(profile);
    if (!transform->handle && !transform->gray_table) {
        free(transform);
        return NULL;
    }
    return transform;
}

void clt_transform_destroy(clt_transform *transform) {
    if (!transform) return;
    if (transform->handle) cmsDeleteTransform(transform->handle);
    free(transform->gray_table);
    free(transform);
}

bool clt_transform_is_identity(const clt_transform *transform) {
    bool is_gray = transform->source == CLT_GRAY8;
    if (transform->source != transform->target || (!is_gray && transform->source != CLT_RGBA8)) return false;
    // All grey levels, or 16 levels of each of red, green and blue.
    enum { pixels = 16 * 16 * 16 };
    uint8_t colors[4 * pixels], result[4 * pixels] = {0};
    for (int i = 0; i < 4 * pixels; i++) {
        int channel = i % 4, step = i / 4;
        colors[i] = is_gray ? (uint8_t)i : channel == 3 ? 255 : (uint8_t)((step >> 4 * channel & 15) * 17);
    }
    clt_transform_row(transform, colors, result, is_gray ? 4 * pixels : pixels);
    for (int i = 0; i < 4 * pixels; i++) {
        if (abs(result[i] - colors[i]) > 1) return false;
    }
    return true;
}

void clt_transform_row(const clt_transform *transform, const void *source, void *target, uint32_t width) {
    if (transform->gray_table) {
        look_up_row(transform, source, target, width);
        return;
    }
    cmsDoTransform(transform->handle, source, target, width);
    if (transform->source == CLT_CMYK8 || transform->source == CLT_CMYK8_INVERTED) {
        uint8_t *to = target;
        for (uint32_t x = 0; x < width; x++) to[4 * (size_t)x + 3] = 255;
    }
}
