#include "CCalotypeGIF.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

/// Two pieces of memory that giflib reads as one file.
typedef struct {
    const uint8_t *pieces[2];
    size_t counts[2];
    bool hit_end;
} source;

static int read_bytes(GifFileType *file, GifByteType *target, int wanted) {
    source *from = file->UserData;
    int done = 0;
    for (int i = 0; i < 2 && done < wanted; i++) {
        size_t rest = (size_t)(wanted - done);
        size_t count = from->counts[i] < rest ? from->counts[i] : rest;
        if (count == 0) continue;
        memcpy(target + done, from->pieces[i], count);
        from->pieces[i] += count;
        from->counts[i] -= count;
        done += (int)count;
    }
    if (done < wanted) from->hit_end = true;
    return done;
}

struct clt_gif_reader {
    source from;
    GifFileType *file;
    uint32_t width, height;
    /// The pass and the position of the next row.
    uint32_t pass, y;
    /// The number of rows from the top that have pixels.
    uint32_t rows;
};

// The first row and the row distance of each pass of an interlaced frame (GIF89a, appendix E).
static const uint32_t starts[4] = {0, 4, 2, 1}, steps[4] = {8, 8, 4, 2};

clt_gif_reader *clt_gif_reader_create(
    const uint8_t *header, size_t header_count, const uint8_t *frame, size_t frame_count, uint32_t width, uint32_t height,
    clt_gif_status *status) {
    *status = CLT_GIF_NO_MEMORY;
    clt_gif_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->from = (source){{header, frame}, {header_count, frame_count}, false};
    reader->width = width;
    reader->height = height;
    int error = 0;
    reader->file = DGifOpen(&reader->from, read_bytes, &error);
    if (!reader->file) {
        if (error != D_GIF_ERR_NOT_ENOUGH_MEM) *status = CLT_GIF_CORRUPT;
        free(reader);
        return NULL;
    }
    GifFileType *file = reader->file;
    GifRecordType record = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(file, &record) == GIF_ERROR || record != IMAGE_DESC_RECORD_TYPE ||
        DGifGetImageDesc(file) == GIF_ERROR || (uint32_t)file->Image.Width != width ||
        (uint32_t)file->Image.Height != height) {
        *status = reader->from.hit_end ? CLT_GIF_TRUNCATED : CLT_GIF_CORRUPT;
        clt_gif_reader_destroy(reader);
        return NULL;
    }
    *status = CLT_GIF_OK;
    return reader;
}

void clt_gif_reader_destroy(clt_gif_reader *reader) {
    if (!reader) return;
    int error = 0;
    DGifCloseFile(reader->file, &error);
    free(reader);
}

bool clt_gif_reader_is_interlaced(const clt_gif_reader *reader) { return reader->file->Image.Interlace; }

bool clt_gif_reader_is_finished(const clt_gif_reader *reader) {
    return clt_gif_reader_is_interlaced(reader) ? reader->pass == 4 : reader->y == reader->height;
}

/// Moves to the next row, which may be in a later pass.
static void advance(clt_gif_reader *reader) {
    if (!clt_gif_reader_is_interlaced(reader)) {
        reader->y++;
        reader->rows = reader->y;
        return;
    }
    reader->rows = reader->pass > 0 ? reader->height : reader->y + 1;
    reader->y += steps[reader->pass];
    while (reader->pass < 4 && reader->y >= reader->height) {
        reader->pass++;
        if (reader->pass < 4) reader->y = starts[reader->pass];
    }
    if (reader->pass == 4) reader->rows = reader->height;
}

clt_gif_status clt_gif_reader_read_rows(
    clt_gif_reader *reader, uint8_t *target, size_t stride, uint32_t first, uint32_t count, uint32_t *rows) {
    bool is_interlaced = clt_gif_reader_is_interlaced(reader);
    for (uint32_t done = 0; done < count && !clt_gif_reader_is_finished(reader); done++) {
        uint32_t y = reader->y;
        uint8_t *row = target + (size_t)(y - first) * stride;
        if (DGifGetLine(reader->file, row, (int)reader->width) == GIF_ERROR) {
            if (is_interlaced && reader->pass > 0) reader->rows = reader->height;
            *rows = reader->rows;
            return reader->from.hit_end ? CLT_GIF_TRUNCATED : CLT_GIF_CORRUPT;
        }
        if (is_interlaced && reader->pass < 3) {
            uint32_t last = y + steps[reader->pass] / (reader->pass == 0 ? 1 : 2);
            for (uint32_t below = y + 1; below < last && below < reader->height; below++) {
                memcpy(target + (size_t)(below - first) * stride, row, reader->width);
            }
        }
        advance(reader);
    }
    *rows = reader->rows;
    return CLT_GIF_OK;
}

void clt_gif_colors(const uint8_t *source, const uint8_t *table, uint8_t *target, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) memcpy(target + 4 * (size_t)x, table + 4 * (size_t)source[x], 4);
}
