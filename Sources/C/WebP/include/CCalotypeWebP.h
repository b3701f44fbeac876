/// libwebp's decoder, demuxer and encoder, with their large structures on the heap. No callback goes into Swift.
#ifndef CCALOTYPE_WEBP_H
#define CCALOTYPE_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLT_WEBP_OK = 0,
    /// The data ends too early for the call.
    CLT_WEBP_NEEDS_INPUT = 1,
    CLT_WEBP_CORRUPT = 2,
    CLT_WEBP_UNSUPPORTED = 3,
    CLT_WEBP_NO_MEMORY = 4
} clt_webp_status;

typedef struct {
    uint32_t width, height;
    bool has_alpha, is_animated, is_lossless;
} clt_webp_features;

/// Reads the header of a file or of a frame.
clt_webp_status clt_webp_read_features(const uint8_t *bytes, size_t count, clt_webp_features *features);

typedef struct clt_webp_reader clt_webp_reader;

/// Creates a decoder of one still image into `target`: RGBA rows, `stride` bytes apart; NULL without memory. `width` and `height`:
/// the size of the output. `is_scaled`: whether that differs from the image's size.
clt_webp_reader *clt_webp_reader_create(
    uint8_t *target, size_t target_count, int stride, uint32_t width, uint32_t height, bool is_scaled, bool premultiplied);
void clt_webp_reader_destroy(clt_webp_reader *reader);
/// Decodes as much as the first `count` bytes of the file allow. `bytes`: the file from its start; it is not copied and must stay
/// valid until the reader is destroyed.
clt_webp_status clt_webp_reader_update(clt_webp_reader *reader, const uint8_t *bytes, size_t count);
/// Decodes as much as the next bytes of a file that arrives in pieces allow. The bytes are copied.
clt_webp_status clt_webp_reader_append(clt_webp_reader *reader, const uint8_t *bytes, size_t count);
/// The number of rows of `target`, from the top, that are final.
uint32_t clt_webp_reader_rows(const clt_webp_reader *reader);

typedef struct clt_webp_container clt_webp_container;

typedef struct {
    uint32_t width, height, frames, loops;
    bool has_alpha, is_animated;
    /// Whether the header announces Exif data, which is at the end of the file.
    bool promises_exif;
    /// Whether the data is complete up to the last chunk.
    bool is_complete;
} clt_webp_container_info;

typedef struct {
    uint32_t x, y, width, height;
    int32_t milliseconds;
    bool clears_after, blends, has_alpha, is_complete;
    /// The frame as a WebP image without animation.
    const uint8_t *bytes;
    size_t count;
} clt_webp_frame;

/// Parses the chunks of a file; NULL when the header cannot be read. The bytes are not copied and must stay valid until the
/// container is destroyed.
clt_webp_container *clt_webp_container_create(const uint8_t *bytes, size_t count, clt_webp_container_info *info);
void clt_webp_container_destroy(clt_webp_container *container);
/// Returns the first chunk with a name ("ICCP", "EXIF"); false without one.
bool clt_webp_container_chunk(
    const clt_webp_container *container, const char *name, const uint8_t **bytes, size_t *count);
/// Returns a frame by its index from 0; false when there is none.
bool clt_webp_container_frame(const clt_webp_container *container, uint32_t index, clt_webp_frame *frame);

/// Encodes RGBA that is not premultiplied. `effort`: libwebp's method, 0 to 6. Free the bytes with `clt_webp_free`.
clt_webp_status clt_webp_encode(
    const uint8_t *pixels, int stride, uint32_t width, uint32_t height, bool is_opaque, bool lossless, float quality,
    int effort, uint8_t **bytes, size_t *count);
void clt_webp_free(uint8_t *bytes);

/// The version of libwebp, as 0xMMmmrr.
int clt_webp_version(void);

#endif
