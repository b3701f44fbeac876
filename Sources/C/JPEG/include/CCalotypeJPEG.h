/// libjpeg behind calls that return a status: its errors leave by `longjmp`, which must never cross a Swift frame, so
/// every entry point here does its own `setjmp`. State lives on the heap; nothing calls back into Swift.
#ifndef CCALOTYPE_JPEG_H
#define CCALOTYPE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    /// The call did what it says.
    CLT_JPEG_OK = 0,
    /// More bytes are needed; supply them and call again.
    CLT_JPEG_NEEDS_INPUT = 1,
    /// The file breaks its format's rules; see `clt_jpeg_reader_message`.
    CLT_JPEG_CORRUPT = 2,
    /// A process or precision that this library does not decode.
    CLT_JPEG_UNSUPPORTED = 3,
    /// Memory ran out or would pass the limit that was set.
    CLT_JPEG_NO_MEMORY = 4,
    /// All scans were read (`clt_jpeg_reader_consume`).
    CLT_JPEG_END = 5,
    /// One scan was read to its end (`clt_jpeg_reader_consume`).
    CLT_JPEG_SCAN_END = 6
} clt_jpeg_status;

typedef enum {
    CLT_JPEG_GRAY = 1,
    /// RGB or YCbCr.
    CLT_JPEG_RGB = 2,
    /// CMYK or YCCK.
    CLT_JPEG_CMYK = 3,
    /// Any other number of components.
    CLT_JPEG_OTHER = 4
} clt_jpeg_model;

typedef struct {
    uint32_t width, height;
    clt_jpeg_model model;
    int32_t components;
    /// Whether an Adobe marker was seen; CMYK samples then mean 255 minus ink.
    bool has_adobe_marker;
    bool is_progressive;
    /// Coded arithmetically: libjpeg then cannot wait for input, and makes up what is missing without a word.
    bool is_arithmetic;
    /// Whether all coefficients are held until the last scan: progressive, or components in scans of their own.
    bool has_multiple_scans;
    /// What holding the coefficients takes, in bytes; 0 for one scan.
    uint64_t coefficient_bytes;
} clt_jpeg_header;

typedef struct clt_jpeg_reader clt_jpeg_reader;

/// A reader without input, or NULL without memory. `memory_limit`: bytes that libjpeg may take.
clt_jpeg_reader *clt_jpeg_reader_create(size_t memory_limit);
void clt_jpeg_reader_destroy(clt_jpeg_reader *reader);

/// The whole file, borrowed: it must stay where it is until the reader is destroyed. Called once, first.
void clt_jpeg_reader_borrow(clt_jpeg_reader *reader, const uint8_t *bytes, size_t count);
/// The next chunk of a file that arrives in pieces, copied. `is_last`: nothing follows.
clt_jpeg_status clt_jpeg_reader_supply(clt_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_last);

/// Reads up to the first scan.
clt_jpeg_status clt_jpeg_reader_read_header(clt_jpeg_reader *reader, clt_jpeg_header *header);
/// The `index`th APP1 or APP2 segment read so far, without its length field; false past the last.
bool clt_jpeg_reader_marker(
    const clt_jpeg_reader *reader, size_t index, uint8_t *code, const uint8_t **bytes, size_t *count);

/// Prepares output at `eighths`/8 of the size: RGBA, grey, or CMYK as stored. Files with several scans are then read by
/// `consume` and shown by `start_output`; others go straight to `read_rows`.
clt_jpeg_status clt_jpeg_reader_start(
    clt_jpeg_reader *reader, unsigned eighths, uint32_t *output_width, uint32_t *output_height);
/// Reads up to `steps` rows of blocks of a file with several scans. `scans`: how many scans were begun.
clt_jpeg_status clt_jpeg_reader_consume(clt_jpeg_reader *reader, unsigned steps, int32_t *scans);
/// Begins a pass over what the scans up to `scan` give.
clt_jpeg_status clt_jpeg_reader_start_output(clt_jpeg_reader *reader, int32_t scan);
/// Ends a pass. May need input, and is then called again with more.
clt_jpeg_status clt_jpeg_reader_finish_output(clt_jpeg_reader *reader);
/// Decodes up to `rows` rows, `stride` bytes apart; `got` says how many.
clt_jpeg_status clt_jpeg_reader_read_rows(
    clt_jpeg_reader *reader, uint8_t *target, size_t stride, uint32_t rows, uint32_t *got);

/// Whether the rest of the image, or all after the end of the input, is made up. Single damaged blocks do not count.
bool clt_jpeg_reader_is_damaged(const clt_jpeg_reader *reader);
/// Whether the input ended before the end marker.
bool clt_jpeg_reader_hit_end(const clt_jpeg_reader *reader);
/// Whether the input ended early after nothing but sound data.
bool clt_jpeg_reader_was_cut(const clt_jpeg_reader *reader);
/// Whether every coefficient of every component has all its bits (always true with one scan).
bool clt_jpeg_reader_is_complete(const clt_jpeg_reader *reader);
/// libjpeg's sentence for the last error, or else for the first sign of damage.
const char *clt_jpeg_reader_message(const clt_jpeg_reader *reader);

typedef enum {
    CLT_JPEG_SAMPLING_420 = 0,
    CLT_JPEG_SAMPLING_444 = 1,
    CLT_JPEG_SAMPLING_422 = 2
} clt_jpeg_sampling;

typedef struct clt_jpeg_writer clt_jpeg_writer;

clt_jpeg_writer *clt_jpeg_writer_create(void);
void clt_jpeg_writer_destroy(clt_jpeg_writer *writer);
/// Begins a file. Rows are grey, or RGBA of which alpha is ignored. `icc`, and `exif`, a TIFF structure of up to 60,000
/// bytes, may be NULL.
clt_jpeg_status clt_jpeg_writer_start(
    clt_jpeg_writer *writer, uint32_t width, uint32_t height, bool gray, int quality, clt_jpeg_sampling sampling,
    bool progressive, const uint8_t *icc, size_t icc_count, const uint8_t *exif, size_t exif_count);
clt_jpeg_status clt_jpeg_writer_write_row(clt_jpeg_writer *writer, const uint8_t *row);
/// The whole file; the bytes belong to the writer.
clt_jpeg_status clt_jpeg_writer_finish(clt_jpeg_writer *writer, const uint8_t **bytes, size_t *count);
const char *clt_jpeg_writer_message(const clt_jpeg_writer *writer);

#endif
