/// libwebp's decoder, demuxer and encoder with their large structures kept on the heap. Nothing calls back into Swift.
#ifndef CCALOTYPE_WEBP_H
#define CCALOTYPE_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLT_WEBP_OK = 0,
    /// The data ends before what was asked for.
    CLT_WEBP_NEEDS_INPUT = 1,
    CLT_WEBP_CORRUPT = 2,
    CLT_WEBP_UNSUPPORTED = 3,
    CLT_WEBP_NO_MEMORY = 4
} clt_webp_status;

typedef struct {
    uint32_t width, height;
    bool has_alpha, is_animated, is_lossless;
} clt_webp_features;

/// What the first bytes of a file or of one frame say.
clt_webp_status clt_webp_read_features(const uint8_t *bytes, size_t count, clt_webp_features *features);

typedef struct clt_webp_reader clt_webp_reader;

/// A decoder of one still image into `target`, rows `stride` bytes apart, RGBA. `width` and `height`: of the output; where
/// they differ from the image's the decoder scales. `is_scaled` says so. NULL without memory.
clt_webp_reader *clt_webp_reader_create(
    uint8_t *target, size_t target_count, int stride, uint32_t width, uint32_t height, bool is_scaled, bool premultiplied);
void clt_webp_reader_destroy(clt_webp_reader *reader);
/// Decodes what the first `count` bytes allow. `bytes` is the file from its start; it stays until the reader is destroyed.
clt_webp_status clt_webp_reader_update(clt_webp_reader *reader, const uint8_t *bytes, size_t count);
/// The same for a file that arrives in pieces: `bytes` follow those before, and are copied.
clt_webp_status clt_webp_reader_append(clt_webp_reader *reader, const uint8_t *bytes, size_t count);
/// Rows of `target` that are final, from the top.
uint32_t clt_webp_reader_rows(const clt_webp_reader *reader);

typedef struct clt_webp_container clt_webp_container;

typedef struct {
    uint32_t width, height, frames, loops;
    bool has_alpha, is_animated;
    /// Whether the header says that there is Exif, which stands at the end.
    bool promises_exif;
    /// Whether everything up to the last chunk is there.
    bool is_complete;
} clt_webp_container_info;

typedef struct {
    uint32_t x, y, width, height;
    int32_t milliseconds;
    bool clears_after, blends, has_alpha, is_complete;
    /// The frame as an image of its own.
    const uint8_t *bytes;
    size_t count;
} clt_webp_frame;

/// Takes a file apart; `bytes` stay until it is destroyed. NULL when not even the header can be read.
clt_webp_container *clt_webp_container_create(const uint8_t *bytes, size_t count, clt_webp_container_info *info);
void clt_webp_container_destroy(clt_webp_container *container);
/// The first chunk of that name ("ICCP", "EXIF"); false without one.
bool clt_webp_container_chunk(
    const clt_webp_container *container, const char *name, const uint8_t **bytes, size_t *count);
/// Frame `index`, from 0; false past the last.
bool clt_webp_container_frame(const clt_webp_container *container, uint32_t index, clt_webp_frame *frame);

/// Encodes straight RGBA. `effort`: libwebp's method, 0 to 6. The bytes are freed with `clt_webp_free`.
clt_webp_status clt_webp_encode(
    const uint8_t *pixels, int stride, uint32_t width, uint32_t height, bool is_opaque, bool lossless, float quality,
    int effort, uint8_t **bytes, size_t *count);
void clt_webp_free(uint8_t *bytes);

/// libwebp's version, 0xMMmmrr.
int clt_webp_version(void);

#endif
