#include "CCalotypeAVIF.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>

/// Copies the colour description and the pixels into libavif's image.
static avifResult fill(
    avifImage *image, const uint8_t *pixels, size_t stride, bool is_opaque, const uint8_t *icc, size_t icc_count) {
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    image->yuvRange = AVIF_RANGE_FULL;
    if (icc) {
        image->colorPrimaries = AVIF_COLOR_PRIMARIES_UNSPECIFIED;
        image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED;
#if AVIF_VERSION >= 1000000
        avifResult result = avifImageSetProfileICC(image, icc, icc_count);
        if (result != AVIF_RESULT_OK) return result;
#else
        avifImageSetProfileICC(image, icc, icc_count);
#endif
    }
    avifRGBImage rgb;
    memset(&rgb, 0, sizeof rgb);
    avifRGBImageSetDefaults(&rgb, image);
    rgb.format = AVIF_RGB_FORMAT_RGBA;
    rgb.depth = 8;
    rgb.ignoreAlpha = is_opaque;
    rgb.pixels = (uint8_t *)(uintptr_t)pixels;
    rgb.rowBytes = (uint32_t)stride;
    return avifImageRGBToYUV(image, &rgb);
}

static void set_orientation(avifImage *image, int quarter_turns, int mirror_axis) {
    if (quarter_turns != 0) {
        image->transformFlags |= AVIF_TRANSFORM_IROT;
        image->irot.angle = (uint8_t)(quarter_turns & 3);
    }
    if (mirror_axis >= 0) {
        image->transformFlags |= AVIF_TRANSFORM_IMIR;
#if AVIF_VERSION >= 1000000
        image->imir.axis = (uint8_t)mirror_axis;
#else
        image->imir.mode = (uint8_t)mirror_axis;
#endif
    }
}

clt_status clt_avif_encode(
    const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, bool is_opaque, bool is_gray, int chroma_columns,
    int chroma_rows, int quality, int speed, int quarter_turns, int mirror_axis, const uint8_t *icc, size_t icc_count,
    uint8_t **bytes, size_t *count) {
    if (stride > UINT32_MAX) return CLT_UNSUPPORTED;
    avifPixelFormat format = AVIF_PIXEL_FORMAT_YUV444;
    if (chroma_columns == 2) format = chroma_rows == 2 ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV422;
    avifImage *image = avifImageCreate(width, height, 8, is_gray ? AVIF_PIXEL_FORMAT_YUV400 : format);
    avifEncoder *encoder = avifEncoderCreate();
    avifRWData output = AVIF_DATA_EMPTY;
    avifResult result = AVIF_RESULT_UNKNOWN_ERROR;
    if (image && encoder) {
        encoder->maxThreads = 1;
        encoder->speed = speed;
#if AVIF_VERSION >= 1000000
        encoder->quality = quality;
        encoder->qualityAlpha = quality;
#else
        int quantizer = (100 - quality) * AVIF_QUANTIZER_WORST_QUALITY / 100;
        encoder->minQuantizer = quantizer > 4 ? quantizer - 4 : 0;
        encoder->maxQuantizer = quantizer < 59 ? quantizer + 4 : 63;
        encoder->minQuantizerAlpha = 0;
        encoder->maxQuantizerAlpha = quantizer;
#endif
        set_orientation(image, quarter_turns, mirror_axis);
        result = fill(image, pixels, stride, is_opaque, icc, icc_count);
        if (result == AVIF_RESULT_OK) result = avifEncoderWrite(encoder, image, &output);
    }
    if (encoder) avifEncoderDestroy(encoder);
    if (image) avifImageDestroy(image);
    if (result != AVIF_RESULT_OK) {
        avifRWDataFree(&output);
        return CLT_UNSUPPORTED;
    }
    *bytes = output.data;
    *count = output.size;
    return CLT_OK;
}

void clt_avif_free(uint8_t *bytes) { avifFree(bytes); }
