#include "CCalotypeWebP.h"

#include <limits.h>

#include <webp/decode.h>
#include <webp/encode.h>

clt_webp_status clt_webp_encode(
    const uint8_t *pixels, int stride, uint32_t width, uint32_t height, bool is_opaque, bool lossless, float quality,
    int effort, uint8_t **bytes, size_t *count) {
    if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION) return CLT_WEBP_UNSUPPORTED;
    WebPConfig config;
    if (!WebPConfigInit(&config)) return CLT_WEBP_UNSUPPORTED;
    config.lossless = lossless;
    // A lossless file keeps the colour of transparent pixels, and its quality is the effort of the compression.
    config.exact = lossless;
    config.quality = lossless ? 75 : quality;
    config.method = effort;
    WebPPicture image;
    if (!WebPPictureInit(&image)) return CLT_WEBP_UNSUPPORTED;
    image.use_argb = lossless;
    image.width = (int)width;
    image.height = (int)height;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    image.writer = WebPMemoryWrite;
    image.custom_ptr = &writer;
    clt_webp_status status = CLT_WEBP_NO_MEMORY;
    int imported = is_opaque ? WebPPictureImportRGBX(&image, pixels, stride) : WebPPictureImportRGBA(&image, pixels, stride);
    if (imported) {
        if (WebPEncode(&config, &image)) {
            status = CLT_WEBP_OK;
        } else if (image.error_code != VP8_ENC_ERROR_OUT_OF_MEMORY) {
            status = CLT_WEBP_UNSUPPORTED;
        }
    }
    WebPPictureFree(&image);
    if (status == CLT_WEBP_OK) {
        *bytes = writer.mem;
        *count = writer.size;
    } else {
        WebPMemoryWriterClear(&writer);
    }
    return status;
}

void clt_webp_free(uint8_t *bytes) { WebPFree(bytes); }
