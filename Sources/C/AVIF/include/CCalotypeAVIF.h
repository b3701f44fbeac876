/// libavif, from 0.9.3 on, behind one small interface: what differs between its versions is dealt with here, and so are
/// its defects with monochrome images. Compared with 0.11.1 and 1.4.2: whole files come out alike, except that 0.11
/// does not decode the alpha of a grid's cells, and 1.x refuses some damaged files that 0.11 shows. Nothing calls back into Swift.
#ifndef CCALOTYPE_AVIF_H
#define CCALOTYPE_AVIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLT_AVIF_OK = 0,
    /// The data ends before what was asked for.
    CLT_AVIF_TRUNCATED = 1,
    CLT_AVIF_CORRUPT = 2,
    CLT_AVIF_UNSUPPORTED = 3,
    CLT_AVIF_NO_MEMORY = 4,
    /// More pixels than libavif takes.
    CLT_AVIF_TOO_LARGE = 5
} clt_avif_status;

typedef struct {
    uint32_t width, height;
    int32_t depth;
    bool is_gray, has_alpha, is_alpha_premultiplied;
    /// Whether the frames are the layers of one image, coarse to fine.
    bool is_layered;
    int32_t frames;
    /// Anti-clockwise quarter turns, then mirroring: -1 none, 0 top to bottom, 1 left to right (HEIF 6.5.10, 6.5.12).
    int32_t quarter_turns, mirror_axis;
    /// Whether the container shows only a part (`clap`), and that part's width, height and its centre's distance from the
    /// image's, across and down, each as numerator and denominator (ISO/IEC 14496-12, 12.1.4).
    bool has_aperture;
    uint32_t aperture[8];
    /// Code points of ITU-T H.273.
    int32_t primaries, transfer, matrix;
} clt_avif_header;

typedef enum {
    CLT_AVIF_GRAY8 = 0,
    CLT_AVIF_RGBA8 = 1,
    CLT_AVIF_GRAY16 = 2,
    CLT_AVIF_RGBA16 = 3
} clt_avif_layout;

typedef struct clt_avif_reader clt_avif_reader;

/// A reader of a whole file in memory, borrowed; NULL without memory. `shows_layers`: the layers of a layered image
/// count as frames; otherwise only the last is shown.
clt_avif_reader *clt_avif_reader_create(
    const uint8_t *bytes, size_t count, uint32_t frame_limit, bool shows_layers);
/// A reader of the layers of a file that arrives in pieces: what it finds missing is `CLT_AVIF_TRUNCATED`, and may be asked
/// for again once more was supplied.
clt_avif_reader *clt_avif_reader_create_streaming(uint32_t frame_limit);
/// All bytes of the file so far; they need stay only during the calls that follow.
void clt_avif_reader_supply(clt_avif_reader *reader, const uint8_t *bytes, size_t count);
void clt_avif_reader_destroy(clt_avif_reader *reader);
clt_avif_status clt_avif_reader_read_header(clt_avif_reader *reader, clt_avif_header *header);
/// Call it after the header was read, where the track that libavif uses as alpha holds something else: the image is opaque.
void clt_avif_reader_ignore_alpha(clt_avif_reader *reader, clt_avif_header *header);
/// The embedded ICC profile; false without one. The bytes belong to the reader.
bool clt_avif_reader_profile(const clt_avif_reader *reader, const uint8_t **bytes, size_t *count);
/// How long a frame shows, in seconds.
bool clt_avif_reader_duration(const clt_avif_reader *reader, uint32_t frame, double *seconds);
/// Decodes a frame into planes that the reader keeps, from the start of the sequence where its key frames are wrong;
/// `header` is brought up to date with what the frame says.
clt_avif_status clt_avif_reader_decode(clt_avif_reader *reader, uint32_t frame, clt_avif_header *header);
/// Converts rows `first`..<`first + rows` of the decoded frame. Grey layouts only without alpha.
clt_avif_status clt_avif_reader_convert(
    clt_avif_reader *reader, uint32_t first, uint32_t rows, clt_avif_layout layout, bool premultiplied,
    uint8_t *target, size_t stride);
/// libavif's sentence for the last error.
const char *clt_avif_reader_message(const clt_avif_reader *reader);

typedef enum {
    CLT_AVIF_SAMPLING_444 = 0,
    CLT_AVIF_SAMPLING_422 = 1,
    CLT_AVIF_SAMPLING_420 = 2,
    CLT_AVIF_SAMPLING_400 = 3
} clt_avif_sampling;

/// Encodes straight RGBA. `quality`: 1 to 100; `speed`: 0 (slow) to 10. `icc` may be NULL, and then the file says sRGB.
/// `quarter_turns` and `mirror_axis` as in `clt_avif_header`. The bytes are freed with `clt_avif_free`.
clt_avif_status clt_avif_encode(
    const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, bool is_opaque, clt_avif_sampling sampling,
    int quality, int speed, int quarter_turns, int mirror_axis, const uint8_t *icc, size_t icc_count, uint8_t **bytes,
    size_t *count);
void clt_avif_free(uint8_t *bytes);

#endif
