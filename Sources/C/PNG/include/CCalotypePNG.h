/// libpng with functions that return a status. libpng reports errors with `longjmp`, which must never cross a Swift
/// frame, so every function that can fail calls `setjmp` itself. State is on the heap, and no callback goes into Swift.
#ifndef CCALOTYPE_PNG_H
#define CCALOTYPE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCalotypeCodec.h"

typedef struct {
    uint32_t width, height;
    int32_t bit_depth;
    bool is_gray, is_palette, has_alpha, is_interlaced;
} clt_png_header;

typedef struct clt_png_reader clt_png_reader;

/// Creates a reader; NULL without memory. `metadata_limit`: the decompressed bytes that one metadata chunk may have.
clt_png_reader *clt_png_reader_create(size_t metadata_limit);
void clt_png_reader_destroy(clt_png_reader *reader);

/// Reads a complete file up to the first image data. The bytes are not copied and must stay valid until the reader is
/// destroyed. `checks_crc`: whether a wrong checksum of a chunk is an error.
clt_status clt_png_reader_read_header(
    clt_png_reader *reader, const uint8_t *bytes, size_t count, bool checks_crc, clt_png_header *header);
/// Returns the embedded ICC profile, whose bytes the reader owns; false without one.
bool clt_png_reader_profile(clt_png_reader *reader, const uint8_t **bytes, size_t *count);

/// Prepares output: grey for an image of grey without alpha, and otherwise RGBA, which is not premultiplied.
/// `keeps_16`: whether to keep 16-bit samples; otherwise they are scaled to 8 bits with rounding.
clt_status clt_png_reader_start(clt_png_reader *reader, bool keeps_16);
/// Decodes the next rows of the pass, `stride` bytes apart. `got`: the number of decoded rows. In an interlaced file
/// each pass has all rows and adds its pixels to those of earlier passes in `target`. `fills_blocks`: whether a pixel
/// of an early pass also fills the block of pixels that later passes replace.
clt_status clt_png_reader_read_rows(
    clt_png_reader *reader, uint8_t *target, size_t stride, uint32_t rows, bool fills_blocks, uint32_t *got);

/// Decodes the next bytes of a file that arrives in pieces. After the header, which it returns, it stops once, so that
/// the caller can set the target; the rest of the bytes is kept and decoded by the next call, whose `count` may be 0.
/// 16-bit samples are kept.
clt_status clt_png_reader_push(clt_png_reader *reader, const uint8_t *bytes, size_t count, clt_png_header *header);
/// Sets the memory for the rows of a file in pieces, `stride` bytes apart.
void clt_png_reader_set_target(clt_png_reader *reader, uint8_t *target, size_t stride);
/// The number of rows from the top that have pixels, perhaps coarse ones of an early pass. `rows_seen`: the number of
/// rows decoded so far, in all passes.
uint32_t clt_png_reader_rows(const clt_png_reader *reader, uint64_t *rows_seen);

/// libpng's message for the last error.
const char *clt_png_reader_message(const clt_png_reader *reader);

typedef struct clt_png_writer clt_png_writer;

clt_png_writer *clt_png_writer_create(void);
void clt_png_writer_destroy(clt_png_writer *writer);
/// Begins a file. Rows are grey, or RGBA that is not premultiplied. `is_opaque`: whether to leave out the alpha of RGBA
/// rows. `level`: zlib's level, 0 to 9. `icc` may be NULL; the file then declares sRGB. `exif`, a TIFF structure, may
/// be NULL.
clt_status clt_png_writer_start(
    clt_png_writer *writer, uint32_t width, uint32_t height, bool is_gray, bool is_16, bool is_opaque, int level,
    const uint8_t *icc, size_t icc_count, const uint8_t *exif, size_t exif_count);
clt_status clt_png_writer_write_row(clt_png_writer *writer, const uint8_t *row);
/// Ends the file and returns its bytes, which the writer owns.
clt_status clt_png_writer_finish(clt_png_writer *writer, const uint8_t **bytes, size_t *count);
const char *clt_png_writer_message(const clt_png_writer *writer);

#endif
