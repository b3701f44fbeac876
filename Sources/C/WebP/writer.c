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
    // Lossless: colour under full transparency is kept, and quality says how hard to try.
    config.exact = lossless;
    config.quality = lossless ? 75 : quality;
    config.method = effort;
    WebPPicture picture;
    if (!WebPPictureInit(&picture)) return CLT_WEBP_UNSUPPORTED;
    picture.use_argb = lossless;
    picture.width = (int)width;
    picture.height = (int)height;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    clt_webp_status status = CLT_WEBP_NO_MEMORY;
    int imported = is_opaque ? WebPPictureImportRGBX(&picture, pixels, stride) : WebPPictureImportRGBA(&picture, pixels, stride);
    if (imported) {
        if (WebPEncode(&config, &picture)) {
            status = CLT_WEBP_OK;
        } else if (picture.error_code != VP8_ENC_ERROR_OUT_OF_MEMORY) {
            status = CLT_WEBP_UNSUPPORTED;
        }
    }
    WebPPictureFree(&picture);
    if (status == CLT_WEBP_OK) {
        *bytes = writer.mem;
        *count = writer.size;
    } else {
        WebPMemoryWriterClear(&writer);
    }
    return status;
}

void clt_webp_free(uint8_t *bytes) { WebPFree(bytes); }
