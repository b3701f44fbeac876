/// giflib's LZW decoder for one frame at a time. No callback goes into Swift.
#ifndef CCALOTYPE_GIF_H
#define CCALOTYPE_GIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLT_GIF_OK = 0,
    /// The data ends before the frame does.
    CLT_GIF_TRUNCATED = 1,
    CLT_GIF_CORRUPT = 2,
    CLT_GIF_NO_MEMORY = 3
} clt_gif_status;

typedef struct clt_gif_reader clt_gif_reader;

/// Creates a reader of one frame of `width` × `height` palette indices; NULL when it fails, for the reason in `status`. The bytes
/// are not copied and must stay valid until the reader is destroyed.
///
/// - `header`: the file from its start to the end of the screen descriptor and the global palette.
/// - `frame`: the frame from its image separator to the end of its data.
clt_gif_reader *clt_gif_reader_create(
    const uint8_t *header, size_t header_count, const uint8_t *frame, size_t frame_count, uint32_t width, uint32_t height,
    clt_gif_status *status);
void clt_gif_reader_destroy(clt_gif_reader *reader);
/// Whether the rows are stored in four passes over the image.
bool clt_gif_reader_is_interlaced(const clt_gif_reader *reader);
/// Decodes up to `count` more rows. A row of an early pass also fills the rows below it, which later passes replace.
///
/// - `target`: the memory of row `first`, which is 0 for an interlaced frame. Rows are `stride` bytes apart.
/// - `rows`: the number of rows from the top of the image that have pixels now.
clt_gif_status clt_gif_reader_read_rows(
    clt_gif_reader *reader, uint8_t *target, size_t stride, uint32_t first, uint32_t count, uint32_t *rows);
/// Whether every row was decoded.
bool clt_gif_reader_is_finished(const clt_gif_reader *reader);

/// Converts palette indices to RGBA with a palette of 256 colours of four bytes.
void clt_gif_colors(const uint8_t *source, const uint8_t *table, uint8_t *target, uint32_t width);

#endif
