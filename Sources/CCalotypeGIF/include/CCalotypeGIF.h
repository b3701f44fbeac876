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

/// Decodes one frame of `width` × `height` colour numbers into `target`, rows `width` bytes apart and in order even
/// where the file interlaces them.
///
/// - `header`: the file from its start to the end of its screen descriptor and global colours.
/// - `frame`: from the frame's image separator to the end of its data.
/// - `rows`: how many rows, from the top, hold pixels.
clt_gif_status clt_gif_decode_frame(
    const uint8_t *header, size_t header_count, const uint8_t *frame, size_t frame_count, uint32_t width, uint32_t height,
    uint8_t *target, uint32_t *rows);

/// Colour numbers to RGBA by a table of 256 colours of four bytes.
void clt_gif_colors(const uint8_t *source, const uint8_t *table, uint8_t *target, uint32_t width);

#endif
