/// libpng with functions that return a status. libpng reports errors with `longjmp`, which must never cross a Swift frame, so
/// every function that can fail calls `setjmp` itself. State is on the heap, and no callback goes into Swift.
#ifndef CCALOTYPE_PNG_H
#define CCALOTYPE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLT_PNG_OK = 0,
    /// The data ends too early for the call.
    CLT_PNG_TRUNCATED = 1,
    /// The file violates its format; `clt_png_reader_message` says how.
    CLT_PNG_CORRUPT = 2,
    CLT_PNG_NO_MEMORY = 3
} clt_png_status;

typedef struct {
    uint32_t width, height;
    int32_t bit_depth;
    bool is_gray, is_palette, has_alpha_channel, has_transparent_color, is_interlaced;
} clt_png_header;

/// The layout of decoded rows. Samples of 16 bits are in the machine's byte order, and alpha is not premultiplied.
typedef enum {
    CLT_PNG_GRAY8 = 0,
    CLT_PNG_RGBA8 = 1,
    CLT_PNG_GRAY16 = 2,
    CLT_PNG_RGBA16 = 3
} clt_png_layout;

typedef struct clt_png_reader clt_png_reader;

/// Creates a reader of a complete file; NULL without memory. The bytes are not copied and must stay valid until the reader is
/// destroyed. `metadata_limit`: the decompressed bytes that one metadata chunk may have. `checks_crc`: whether a wrong checksum of a
/// chunk is an error.
clt_png_reader *clt_png_reader_create(const uint8_t *bytes, size_t count, size_t metadata_limit, bool checks_crc);
void clt_png_reader_destroy(clt_png_reader *reader);

/// Reads up to the first image data.
clt_png_status clt_png_reader_read_header(clt_png_reader *reader, clt_png_header *header);
/// Returns the embedded ICC profile, whose bytes the reader owns; false without one.
bool clt_png_reader_profile(clt_png_reader *reader, const uint8_t **bytes, size_t *count);

/// Prepares output. `keeps_16`: whether to keep 16-bit samples; otherwise they are scaled to 8 bits with rounding.
clt_png_status clt_png_reader_start(clt_png_reader *reader, bool keeps_16, clt_png_layout *layout, int32_t *passes);
/// Decodes the next rows of the pass, `stride` bytes apart. `got`: the number of decoded rows. In an interlaced file each pass has
/// all rows and adds its pixels to those of earlier passes in `target`. `fills_blocks`: whether a pixel of an early pass also fills
/// the block of pixels that later passes replace.
clt_png_status clt_png_reader_read_rows(
    clt_png_reader *reader, uint8_t *target, size_t stride, uint32_t rows, bool fills_blocks, uint32_t *got);
/// libpng's message for the last error.
const char *clt_png_reader_message(const clt_png_reader *reader);

typedef struct clt_png_pusher clt_png_pusher;

/// Creates a reader of a file that arrives in pieces; NULL without memory.
clt_png_pusher *clt_png_pusher_create(size_t metadata_limit);
void clt_png_pusher_destroy(clt_png_pusher *pusher);
/// Decodes the next bytes. After the header it stops once, so that the caller can set the target; the rest of the bytes is kept and
/// decoded by the next call, whose `count` may be 0.
clt_png_status clt_png_pusher_supply(clt_png_pusher *pusher, const uint8_t *bytes, size_t count);
/// Returns the header and the layout of rows, with 16-bit samples kept; false before the header is complete.
bool clt_png_pusher_header(const clt_png_pusher *pusher, clt_png_header *header, clt_png_layout *layout, int32_t *passes);
/// Returns the embedded ICC profile, whose bytes the reader owns; false without one.
bool clt_png_pusher_profile(clt_png_pusher *pusher, const uint8_t **bytes, size_t *count);
/// Sets the memory for decoded rows, `stride` bytes apart.
void clt_png_pusher_set_target(clt_png_pusher *pusher, uint8_t *target, size_t stride);
/// The number of rows from the top that have pixels, perhaps coarse ones of an early pass.
uint32_t clt_png_pusher_rows(const clt_png_pusher *pusher);
/// The number of rows decoded so far, in all passes.
uint64_t clt_png_pusher_rows_seen(const clt_png_pusher *pusher);
/// Whether every row is final.
bool clt_png_pusher_is_finished(const clt_png_pusher *pusher);
const char *clt_png_pusher_message(const clt_png_pusher *pusher);

typedef struct clt_png_writer clt_png_writer;

clt_png_writer *clt_png_writer_create(void);
void clt_png_writer_destroy(clt_png_writer *writer);
/// Begins a file. `layout`: the layout of the rows. `is_opaque`: whether to leave out the alpha of RGBA rows. `level`: zlib's level,
/// 0 to 9. `icc` may be NULL; the file then declares sRGB. `exif`, a TIFF structure, may be NULL.
clt_png_status clt_png_writer_start(
    clt_png_writer *writer, uint32_t width, uint32_t height, clt_png_layout layout, bool is_opaque, int level,
    const uint8_t *icc, size_t icc_count, const uint8_t *exif, size_t exif_count);
clt_png_status clt_png_writer_write_row(clt_png_writer *writer, const uint8_t *row);
/// Ends the file and returns its bytes, which the writer owns.
clt_png_status clt_png_writer_finish(clt_png_writer *writer, const uint8_t **bytes, size_t *count);
const char *clt_png_writer_message(const clt_png_writer *writer);

#endif
