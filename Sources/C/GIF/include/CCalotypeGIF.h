/// giflib's LZW decoder, fed with one frame at a time. Nothing calls back into Swift.
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

/// A reader of one frame of `width` × `height` colour numbers; NULL where there is none, and `status` says why. The bytes
/// stay where they are until it is destroyed.
///
/// - `header`: the file from its start to the end of its screen descriptor and global colours.
/// - `frame`: from the frame's image separator to the end of its data.
clt_gif_reader *clt_gif_reader_create(
    const uint8_t *header, size_t header_count, const uint8_t *frame, size_t frame_count, uint32_t width, uint32_t height,
    clt_gif_status *status);
void clt_gif_reader_destroy(clt_gif_reader *reader);
/// Whether the rows come in four passes over the whole image.
bool clt_gif_reader_is_interlaced(const clt_gif_reader *reader);
/// Decodes up to `count` further rows to their places; `target` is that of row `first`, 0 in an interlaced frame, rows
/// `stride` bytes apart. Until the rows between arrive, one of an early pass stands for those below it.
///
/// - `rows`: how many rows, from the top of the image, hold pixels by now; as many as there are only at the end.
clt_gif_status clt_gif_reader_read_rows(
    clt_gif_reader *reader, uint8_t *target, size_t stride, uint32_t first, uint32_t count, uint32_t *rows);
/// Whether every row was decoded.
bool clt_gif_reader_is_finished(const clt_gif_reader *reader);

/// Colour numbers to RGBA by a table of 256 colours of four bytes.
void clt_gif_colors(const uint8_t *source, const uint8_t *table, uint8_t *target, uint32_t width);

#endif
