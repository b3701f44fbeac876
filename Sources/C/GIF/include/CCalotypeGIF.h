/// giflib's LZW decoder for one frame at a time. No callback goes into Swift.
#ifndef CCALOTYPE_GIF_H
#define CCALOTYPE_GIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCalotypeCodec.h"

typedef struct clt_gif_reader clt_gif_reader;

/// Creates a reader of one frame of `width` × `height` palette indices; NULL when it fails, for the reason in `status`. The bytes
/// are not copied and must stay valid until the reader is destroyed.
///
/// - `header`: the file from its start to the end of the screen descriptor and the global palette.
/// - `frame`: the frame from its image separator to the end of its data.
clt_gif_reader *clt_gif_reader_create(
    const uint8_t *header, size_t header_count, const uint8_t *frame, size_t frame_count, uint32_t width, uint32_t height,
    clt_status *status);
void clt_gif_reader_destroy(clt_gif_reader *reader);
/// Decodes the palette indices of the next row, in the order as stored.
clt_status clt_gif_reader_read_row(clt_gif_reader *reader, uint8_t *target);

/// Converts palette indices to RGBA with a palette of 256 colours of four bytes.
void clt_gif_colors(const uint8_t *source, const uint8_t *table, uint8_t *target, uint32_t width);

#endif
