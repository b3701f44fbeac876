/// libjpeg with functions that return a status. libjpeg reports errors with `longjmp`, which must never cross a Swift
/// frame, so every function that can fail calls `setjmp` itself. State is on the heap, and no callback goes into Swift.
#ifndef CCALOTYPE_JPEG_H
#define CCALOTYPE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCalotypeCodec.h"

typedef struct {
    uint32_t width, height;
    /// 1 for grey, 3 for RGB or YCbCr, 4 for CMYK or YCCK.
    int32_t components;
    bool is_progressive;
    /// Whether the coding is arithmetic: libjpeg then cannot wait for input, and invents missing data without a
    /// warning.
    bool is_arithmetic;
    /// Whether libjpeg keeps all coefficients until the last scan: the file is progressive, or has a scan for each
    /// component.
    bool has_multiple_scans;
    /// The memory for the coefficients in bytes; 0 for a single scan.
    uint64_t coefficient_bytes;
} clt_jpeg_header;

typedef struct clt_jpeg_reader clt_jpeg_reader;

/// Creates a reader without input; NULL without memory. `memory_limit`: the bytes that libjpeg may allocate.
clt_jpeg_reader *clt_jpeg_reader_create(size_t memory_limit);
void clt_jpeg_reader_destroy(clt_jpeg_reader *reader);

/// Sets all bytes of the file so far; those of the previous call come first. They are not copied, and must stay valid
/// during the calls that follow. `is_last`: the file is complete.
void clt_jpeg_reader_supply(clt_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_last);

/// Reads up to the first scan.
clt_status clt_jpeg_reader_read_header(clt_jpeg_reader *reader, clt_jpeg_header *header);
/// Returns an APP1 or APP2 segment that was read, without its length field, by its index from 0; false when there is
/// none.
bool clt_jpeg_reader_marker(
    const clt_jpeg_reader *reader, size_t index, uint8_t *code, const uint8_t **bytes, size_t *count);

/// Returns the samples that the component with the fewest has for each pixel of the output at `eighths`/8 of the size,
/// in the direction with the fewest: 1, or less if chroma is coarser and libjpeg discards some of its detail.
double clt_jpeg_reader_detail(const clt_jpeg_reader *reader, unsigned eighths);

/// Prepares output at `eighths`/8 of the size, as RGBA, grey, or CMYK as stored. For a file with several scans, call
/// `consume` and `start_output` before `read_rows`.
clt_status clt_jpeg_reader_start(
    clt_jpeg_reader *reader, unsigned eighths, uint32_t *output_width, uint32_t *output_height);
/// Reads up to `steps` rows of blocks of a file with several scans. `scans`: the number of scans that have begun.
clt_status clt_jpeg_reader_consume(clt_jpeg_reader *reader, unsigned steps, int32_t *scans);
/// Begins the output of an image that consists of the scans up to `scan`.
clt_status clt_jpeg_reader_start_output(clt_jpeg_reader *reader, int32_t scan);
/// Ends the output of an image. When it needs input, repeat the call with more.
clt_status clt_jpeg_reader_finish_output(clt_jpeg_reader *reader);
/// Decodes up to `rows` rows, `stride` bytes apart. `got`: the number of decoded rows.
clt_status clt_jpeg_reader_read_rows(
    clt_jpeg_reader *reader, uint8_t *target, size_t stride, uint32_t rows, uint32_t *got);

/// Returns whether libjpeg invented the rest of the image, because of damage or of missing input. Single damaged blocks
/// do not count.
clt_status clt_jpeg_reader_damage(const clt_jpeg_reader *reader);
/// Whether the input ended before the end marker.
bool clt_jpeg_reader_hit_end(const clt_jpeg_reader *reader);
/// Whether the input ended before the end marker and had no damage until then.
bool clt_jpeg_reader_was_cut(const clt_jpeg_reader *reader);
/// libjpeg's message for the last error, or otherwise for the first damage.
const char *clt_jpeg_reader_message(const clt_jpeg_reader *reader);

typedef struct clt_jpeg_writer clt_jpeg_writer;

clt_jpeg_writer *clt_jpeg_writer_create(void);
void clt_jpeg_writer_destroy(clt_jpeg_writer *writer);
/// Begins a file. Rows are grey, or RGBA with ignored alpha. `chroma_columns`, `chroma_rows`: the pixels that a chroma
/// sample covers, 1 or 2 in each direction. `icc` and `exif` may be NULL; `exif` is the content of the segment APP1.
clt_status clt_jpeg_writer_start(
    clt_jpeg_writer *writer, uint32_t width, uint32_t height, bool gray, int quality, int chroma_columns,
    int chroma_rows, bool progressive, const uint8_t *icc, size_t icc_count, const uint8_t *exif, size_t exif_count);
clt_status clt_jpeg_writer_write_row(clt_jpeg_writer *writer, const uint8_t *row);
/// Ends the file and returns its bytes, which the writer owns.
clt_status clt_jpeg_writer_finish(clt_jpeg_writer *writer, const uint8_t **bytes, size_t *count);
const char *clt_jpeg_writer_message(const clt_jpeg_writer *writer);

#endif
