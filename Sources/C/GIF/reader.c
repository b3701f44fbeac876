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
};

static clt_status failure(const clt_gif_reader *reader) { return reader->from.hit_end ? CLT_NEEDS_INPUT : CLT_CORRUPT; }

clt_gif_reader *clt_gif_reader_create(
    const uint8_t *header, size_t header_count, const uint8_t *frame, size_t frame_count, uint32_t width, uint32_t height,
    clt_status *status) {
    *status = CLT_NO_MEMORY;
    clt_gif_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->from = (source){{header, frame}, {header_count, frame_count}, false};
    int error = 0;
    reader->file = DGifOpen(&reader->from, read_bytes, &error);
    if (!reader->file) {
        if (error != D_GIF_ERR_NOT_ENOUGH_MEM) *status = CLT_CORRUPT;
        free(reader);
        return NULL;
    }
    GifFileType *file = reader->file;
    GifRecordType record = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(file, &record) == GIF_ERROR || record != IMAGE_DESC_RECORD_TYPE ||
        DGifGetImageDesc(file) == GIF_ERROR || (uint32_t)file->Image.Width != width ||
        (uint32_t)file->Image.Height != height) {
        *status = failure(reader);
        clt_gif_reader_destroy(reader);
        return NULL;
    }
    *status = CLT_OK;
    return reader;
}

void clt_gif_reader_destroy(clt_gif_reader *reader) {
    if (!reader) return;
    int error = 0;
    DGifCloseFile(reader->file, &error);
    free(reader);
}

clt_status clt_gif_reader_read_row(clt_gif_reader *reader, uint8_t *target) {
    return DGifGetLine(reader->file, target, reader->file->Image.Width) == GIF_ERROR ? failure(reader) : CLT_OK;
}

void clt_gif_colors(const uint8_t *source, const uint8_t *table, uint8_t *target, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) memcpy(target + 4 * (size_t)x, table + 4 * (size_t)source[x], 4);
}
