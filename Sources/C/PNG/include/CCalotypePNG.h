/// libpng behind calls that return a status: its errors leave by `longjmp`, which must never cross a Swift frame, so
/// every entry point here does its own `setjmp`. State lives on the heap; nothing calls back into Swift.
#ifndef CCALOTYPE_PNG_H
#define CCALOTYPE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLT_PNG_OK = 0,
    /// The data ends before what was asked for.
    CLT_PNG_TRUNCATED = 1,
    /// The file breaks its format's rules; see `clt_png_reader_message`.
    CLT_PNG_CORRUPT = 2,
    CLT_PNG_NO_MEMORY = 3
} clt_png_status;

typedef struct {
    uint32_t width, height;
    int32_t bit_depth;
    bool is_gray, is_palette, has_alpha_channel, has_transparent_color, is_interlaced;
} clt_png_header;

/// How rows come out of `clt_png_reader_read_rows`; samples of 16 bits in the machine's order, alpha straight.
typedef enum {
    CLT_PNG_GRAY8 = 0,
    CLT_PNG_RGBA8 = 1,
    CLT_PNG_GRAY16 = 2,
    CLT_PNG_RGBA16 = 3
} clt_png_layout;

typedef struct clt_png_reader clt_png_reader;

/// A reader of a whole file in memory, borrowed; NULL without memory. `metadata_limit`: bytes that one chunk of
/// metadata may take once decompressed. `checks_crc`: whether the chunks' checksums count.
clt_png_reader *clt_png_reader_create(const uint8_t *bytes, size_t count, size_t metadata_limit, bool checks_crc);
void clt_png_reader_destroy(clt_png_reader *reader);

/// Reads up to the first image data.
clt_png_status clt_png_reader_read_header(clt_png_reader *reader, clt_png_header *header);
/// The embedded ICC profile; false without one. The bytes belong to the reader.
bool clt_png_reader_profile(clt_png_reader *reader, const uint8_t **bytes, size_t *count);

/// Prepares output. `keeps_16`: 16-bit samples stay; otherwise they are scaled to 8 bits with rounding.
clt_png_status clt_png_reader_start(clt_png_reader *reader, bool keeps_16, clt_png_layout *layout, int32_t *passes);
/// Decodes the next rows of the pass, `stride` bytes apart; `got` says how many were finished. In an interlaced file
/// each pass goes over all rows, and adds to what earlier passes left in `target`.
clt_png_status clt_png_reader_read_rows(
    clt_png_reader *reader, uint8_t *target, size_t stride, uint32_t rows, bool fills_blocks, uint32_t *got);
/// libpng's sentence for the last error.
const char *clt_png_reader_message(const clt_png_reader *reader);

typedef struct clt_png_pusher clt_png_pusher;

/// A reader of a file that arrives in pieces; NULL without memory.
clt_png_pusher *clt_png_pusher_create(size_t metadata_limit);
void clt_png_pusher_destroy(clt_png_pusher *pusher);
/// Decodes what the next bytes allow. Stops when the header is there and no target is set yet; the rest of the bytes is
/// kept, and decoded by the next call, which may bring none.
clt_png_status clt_png_pusher_supply(clt_png_pusher *pusher, const uint8_t *bytes, size_t count);
/// The header, once it is there, and how rows come: 16-bit samples stay.
bool clt_png_pusher_header(const clt_png_pusher *pusher, clt_png_header *header, clt_png_layout *layout, int32_t *passes);
/// The embedded ICC profile; false without one. The bytes belong to the reader.
bool clt_png_pusher_profile(clt_png_pusher *pusher, const uint8_t **bytes, size_t *count);
/// Where rows go.
void clt_png_pusher_set_target(clt_png_pusher *pusher, uint8_t *target, size_t stride);
/// Rows from the top that hold pixels, if only coarse ones of an early pass.
uint32_t clt_png_pusher_rows(const clt_png_pusher *pusher);
/// Rows decoded so far, over all passes.
uint64_t clt_png_pusher_rows_seen(const clt_png_pusher *pusher);
/// Whether every row is final.
bool clt_png_pusher_is_finished(const clt_png_pusher *pusher);
const char *clt_png_pusher_message(const clt_png_pusher *pusher);

typedef struct clt_png_writer clt_png_writer;

clt_png_writer *clt_png_writer_create(void);
void clt_png_writer_destroy(clt_png_writer *writer);
/// Begins a file of rows in `layout`; `is_opaque` leaves the alpha of RGBA rows out. `level`: of zlib, 0 to 9.
/// Without a profile the file says sRGB. `exif`, a TIFF structure, may be NULL.
clt_png_status clt_png_writer_start(
    clt_png_writer *writer, uint32_t width, uint32_t height, clt_png_layout layout, bool is_opaque, int level,
    const uint8_t *icc, size_t icc_count, const uint8_t *exif, size_t exif_count);
clt_png_status clt_png_writer_write_row(clt_png_writer *writer, const uint8_t *row);
/// The whole file; the bytes belong to the writer.
clt_png_status clt_png_writer_finish(clt_png_writer *writer, const uint8_t **bytes, size_t *count);
const char *clt_png_writer_message(const clt_png_writer *writer);

#endif
