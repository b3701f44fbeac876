#include "CCalotypeGIF.h"

#include <string.h>

#include <gif_lib.h>

/// Two pieces of memory read as one file.
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

clt_gif_status clt_gif_decode_frame(
    const uint8_t *header, size_t header_count, const uint8_t *frame, size_t frame_count, uint32_t width, uint32_t height,
    uint8_t *target, uint32_t *rows) {
    *rows = 0;
    source from = {{header, frame}, {header_count, frame_count}, false};
    int error = 0;
    GifFileType *file = DGifOpen(&from, read_bytes, &error);
    if (!file) return error == D_GIF_ERR_NOT_ENOUGH_MEM ? CLT_GIF_NO_MEMORY : CLT_GIF_CORRUPT;
    clt_gif_status status = CLT_GIF_OK;
    GifRecordType record = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(file, &record) == GIF_ERROR || record != IMAGE_DESC_RECORD_TYPE ||
        DGifGetImageDesc(file) == GIF_ERROR || (uint32_t)file->Image.Width != width ||
        (uint32_t)file->Image.Height != height) {
        status = from.hit_end ? CLT_GIF_TRUNCATED : CLT_GIF_CORRUPT;
    } else {
        // Interlaced rows: every eighth, the fourths between, the seconds, the rest (GIF89a, appendix E).
        static const uint32_t starts[4] = {0, 4, 2, 1}, steps[4] = {8, 8, 4, 2};
        bool is_interlaced = file->Image.Interlace;
        for (int pass = 0; pass < (is_interlaced ? 4 : 1) && status == CLT_GIF_OK; pass++) {
            uint32_t first = is_interlaced ? starts[pass] : 0, step = is_interlaced ? steps[pass] : 1;
            for (uint32_t y = first; y < height; y += step) {
                if (DGifGetLine(file, target + (size_t)y * width, (int)width) == GIF_ERROR) {
                    status = from.hit_end ? CLT_GIF_TRUNCATED : CLT_GIF_CORRUPT;
                    if (pass > 0) *rows = height;
                    break;
                }
                if (!is_interlaced || pass == 0) *rows = y + 1;
                // Until the rows between arrive, the one above stands for them.
                if (is_interlaced && pass < 3) {
                    uint32_t last = y + step / (pass == 0 ? 1 : 2);
                    for (uint32_t below = y + 1; below < last && below < height; below++) {
                        memcpy(target + (size_t)below * width, target + (size_t)y * width, width);
                    }
                }
            }
        }
        if (status == CLT_GIF_OK) *rows = height;
    }
    DGifCloseFile(file, &error);
    return status;
}

void clt_gif_colors(const uint8_t *source, const uint8_t *table, uint8_t *target, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) memcpy(target + 4 * (size_t)x, table + 4 * (size_t)source[x], 4);
}
