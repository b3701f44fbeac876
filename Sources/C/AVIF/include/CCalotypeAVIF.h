/// libavif, version 0.9.3 or newer. This layer hides the differences between versions and corrects libavif's defects
/// with monochrome images. Versions 0.11.1 and 1.4.2 decode complete files alike, except that 0.11 does not decode the
/// alpha of a grid's cells. 1.x rejects some damaged files that 0.11 decodes. No callback goes into Swift.
#ifndef CCALOTYPE_AVIF_H
#define CCALOTYPE_AVIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCalotypeCodec.h"

typedef struct {
    uint32_t width, height;
    int32_t depth;
    bool is_gray, has_alpha;
    /// Whether the frames are layers of one image, from coarse to fine.
    bool is_layered;
    int32_t frames;
    /// The anti-clockwise quarter turns and the mirroring that follows: -1 none, 0 top to bottom, 1 left to right (HEIF
    /// 6.5.10, 6.5.12).
    int32_t quarter_turns, mirror_axis;
    /// Whether only a part of the image shall be shown (`clap`), and the part's width, its height, and the horizontal
    /// and vertical offset of its centre from the image's, each as numerator and denominator (ISO/IEC 14496-12,
    /// 12.1.4).
    bool has_aperture;
    uint32_t aperture[8];
    /// The code points of ITU-T H.273.
    int32_t primaries, transfer;
} clt_avif_header;

typedef struct clt_avif_reader clt_avif_reader;

/// Creates a reader without input; NULL without memory. `shows_layers`: the layers of a layered image are frames;
/// otherwise the last one is the image.
clt_avif_reader *clt_avif_reader_create(uint32_t frame_limit, bool shows_layers);
/// Sets all bytes of the file so far. They are not copied and must stay valid during the calls that follow. `is_last`:
/// the file is complete; otherwise a call that lacks input returns `CLT_NEEDS_INPUT` and may be repeated with more.
void clt_avif_reader_supply(clt_avif_reader *reader, const uint8_t *bytes, size_t count, bool is_last);
void clt_avif_reader_destroy(clt_avif_reader *reader);
clt_status clt_avif_reader_read_header(clt_avif_reader *reader, clt_avif_header *header);
/// Makes the image opaque. Call it after reading the header, when the track that libavif uses as alpha contains other
/// data.
void clt_avif_reader_ignore_alpha(clt_avif_reader *reader, clt_avif_header *header);
/// Returns the embedded ICC profile, whose bytes the reader owns; false without one.
bool clt_avif_reader_profile(const clt_avif_reader *reader, const uint8_t **bytes, size_t *count);
/// Returns the duration of a frame in seconds; false when there is no such frame.
bool clt_avif_reader_duration(const clt_avif_reader *reader, uint32_t frame, double *seconds);
/// Decodes a frame into planes that the reader owns, and updates `header` from the frame. When a key frame cannot be
/// decoded, it decodes the sequence from its start.
clt_status clt_avif_reader_decode(clt_avif_reader *reader, uint32_t frame, clt_avif_header *header);
/// Converts the rows from `first` up to `first + rows`, exclusive, of the decoded frame to RGBA, which is not
/// premultiplied. `is_gray`: keeps one sample of each pixel, at the start of a row that has room for RGBA; only for
/// grey images without alpha. `is_16`: converts to 16 bits instead of 8.
clt_status clt_avif_reader_convert(
    clt_avif_reader *reader, uint32_t first, uint32_t rows, bool is_gray, bool is_16, uint8_t *target, size_t stride);
/// libavif's message for the last error.
const char *clt_avif_reader_message(const clt_avif_reader *reader);

/// Encodes RGBA that is not premultiplied. `chroma_columns`, `chroma_rows`: the pixels that a chroma sample covers, 1
/// or 2 columns and at most as many rows. `quality`: 1 to 100. `speed`: 0 (slow) to 10. `icc` may be NULL; the file
/// then declares sRGB. `quarter_turns` and `mirror_axis`: as in `clt_avif_header`. Free the bytes with `clt_avif_free`.
clt_status clt_avif_encode(
    const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, bool is_opaque, bool is_gray, int chroma_columns,
    int chroma_rows, int quality, int speed, int quarter_turns, int mirror_axis, const uint8_t *icc, size_t icc_count,
    uint8_t **bytes, size_t *count);
void clt_avif_free(uint8_t *bytes);

#endif
