#include "CCalotypeWebP.h"

#include <limits.h>
#include <stdlib.h>

#include <webp/decode.h>
#include <webp/demux.h>

static clt_webp_status status_of(VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OK: return CLT_WEBP_OK;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return CLT_WEBP_NEEDS_INPUT;
    case VP8_STATUS_OUT_OF_MEMORY: return CLT_WEBP_NO_MEMORY;
    case VP8_STATUS_UNSUPPORTED_FEATURE: return CLT_WEBP_UNSUPPORTED;
    default: return CLT_WEBP_CORRUPT;
    }
}

clt_webp_status clt_webp_read_features(const uint8_t *bytes, size_t count, clt_webp_features *features) {
    WebPBitstreamFeatures found;
    clt_webp_status status = status_of(WebPGetFeatures(bytes, count, &found));
    if (status != CLT_WEBP_OK) return status;
    features->width = (uint32_t)found.width;
    features->height = (uint32_t)found.height;
    features->has_alpha = found.has_alpha != 0;
    features->is_animated = found.has_animation != 0;
    features->is_lossless = found.format == 2;
    return CLT_WEBP_OK;
}

struct clt_webp_reader {
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
};

clt_webp_reader *clt_webp_reader_create(
    uint8_t *target, size_t target_count, int stride, uint32_t width, uint32_t height, bool is_scaled, bool premultiplied) {
    if (width > INT_MAX || height > INT_MAX) return NULL;
    clt_webp_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    if (!WebPInitDecoderConfig(&reader->config)) {
        free(reader);
        return NULL;
    }
    reader->config.options.use_scaling = is_scaled;
    reader->config.options.scaled_width = (int)width;
    reader->config.options.scaled_height = (int)height;
    reader->config.output.colorspace = premultiplied ? MODE_rgbA : MODE_RGBA;
    reader->config.output.is_external_memory = 1;
    reader->config.output.u.RGBA.rgba = target;
    reader->config.output.u.RGBA.stride = stride;
    reader->config.output.u.RGBA.size = target_count;
    reader->decoder = WebPIDecode(NULL, 0, &reader->config);
    if (!reader->decoder) {
        free(reader);
        return NULL;
    }
    return reader;
}

void clt_webp_reader_destroy(clt_webp_reader *reader) {
    if (!reader) return;
    WebPIDelete(reader->decoder);
    WebPFreeDecBuffer(&reader->config.output);
    free(reader);
}

clt_webp_status clt_webp_reader_update(clt_webp_reader *reader, const uint8_t *bytes, size_t count) {
    return status_of(WebPIUpdate(reader->decoder, bytes, count));
}

clt_webp_status clt_webp_reader_append(clt_webp_reader *reader, const uint8_t *bytes, size_t count) {
    return status_of(WebPIAppend(reader->decoder, bytes, count));
}

uint32_t clt_webp_reader_rows(const clt_webp_reader *reader) {
    int last = 0;
    if (!WebPIDecGetRGB(reader->decoder, &last, NULL, NULL, NULL) || last < 0) return 0;
    return (uint32_t)last;
}

struct clt_webp_container {
    WebPDemuxer *demuxer;
};

clt_webp_container *clt_webp_container_create(const uint8_t *bytes, size_t count, clt_webp_container_info *info) {
    clt_webp_container *container = calloc(1, sizeof *container);
    if (!container) return NULL;
    WebPData data = {bytes, count};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    container->demuxer = WebPDemuxPartial(&data, &state);
    if (!container->demuxer) {
        free(container);
        return NULL;
    }
    uint32_t flags = WebPDemuxGetI(container->demuxer, WEBP_FF_FORMAT_FLAGS);
    info->width = WebPDemuxGetI(container->demuxer, WEBP_FF_CANVAS_WIDTH);
    info->height = WebPDemuxGetI(container->demuxer, WEBP_FF_CANVAS_HEIGHT);
    info->frames = WebPDemuxGetI(container->demuxer, WEBP_FF_FRAME_COUNT);
    info->loops = WebPDemuxGetI(container->demuxer, WEBP_FF_LOOP_COUNT);
    info->has_alpha = (flags & ALPHA_FLAG) != 0;
    info->is_animated = (flags & ANIMATION_FLAG) != 0;
    info->promises_exif = (flags & EXIF_FLAG) != 0;
    info->is_complete = state == WEBP_DEMUX_DONE;
    return container;
}

void clt_webp_container_destroy(clt_webp_container *container) {
    if (!container) return;
    WebPDemuxDelete(container->demuxer);
    free(container);
}

bool clt_webp_container_chunk(
    const clt_webp_container *container, const char *name, const uint8_t **bytes, size_t *count) {
    WebPChunkIterator chunk;
    bool found = WebPDemuxGetChunk(container->demuxer, name, 1, &chunk) != 0;
    if (found) {
        *bytes = chunk.chunk.bytes;
        *count = chunk.chunk.size;
    }
    WebPDemuxReleaseChunkIterator(&chunk);
    return found;
}

bool clt_webp_container_frame(const clt_webp_container *container, uint32_t index, clt_webp_frame *frame) {
    WebPIterator found;
    if (index >= INT_MAX || !WebPDemuxGetFrame(container->demuxer, (int)index + 1, &found)) return false;
    frame->x = (uint32_t)found.x_offset;
    frame->y = (uint32_t)found.y_offset;
    frame->width = (uint32_t)found.width;
    frame->height = (uint32_t)found.height;
    frame->milliseconds = found.duration;
    frame->clears_after = found.dispose_method == WEBP_MUX_DISPOSE_BACKGROUND;
    frame->blends = found.blend_method == WEBP_MUX_BLEND;
    frame->has_alpha = found.has_alpha != 0;
    frame->is_complete = found.complete != 0;
    frame->bytes = found.fragment.bytes;
    frame->count = found.fragment.size;
    WebPDemuxReleaseIterator(&found);
    return true;
}

int clt_webp_version(void) { return WebPGetDecoderVersion(); }
