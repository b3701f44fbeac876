#include "CCalotypePNG.h"
#include "shared.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct clt_png_reader {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count, offset;
    bool hit_end, out_of_memory;
    char message[160];
};

static void on_error(png_structp png, png_const_charp text) {
    clt_png_reader *reader = png_get_error_ptr(png);
    strncpy(reader->message, text, sizeof reader->message - 1);
    if (strstr(text, "memory")) reader->out_of_memory = true;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    clt_png_reader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->offset) {
        reader->hit_end = true;
        png_error(png, "the data ends early");
    }
    memcpy(target, reader->bytes + reader->offset, count);
    reader->offset += count;
    // libpng reads pixel data in pieces of a fixed size, and drops an incomplete piece. Reduce the size for the last piece, so that
    // a truncated file still gives all of its rows.
    size_t rest = reader->count - reader->offset;
    if (rest < PNG_IDAT_READ_SIZE) png_set_compression_buffer_size(png, rest > 0 ? rest : 1);
}

static clt_png_status failure(const clt_png_reader *reader) {
    return reader->hit_end ? CLT_PNG_TRUNCATED : reader->out_of_memory ? CLT_PNG_NO_MEMORY : CLT_PNG_CORRUPT;
}

clt_png_reader *clt_png_reader_create(const uint8_t *bytes, size_t count, size_t metadata_limit, bool checks_crc) {
    clt_png_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->bytes = bytes;
    reader->count = count;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
    if (!reader->png) {
        free(reader);
        return NULL;
    }
    if (setjmp(png_jmpbuf(reader->png))) {
        clt_png_reader_destroy(reader);
        return NULL;
    }
    reader->info = png_create_info_struct(reader->png);
    if (!reader->info) {
        clt_png_reader_destroy(reader);
        return NULL;
    }
    png_set_read_fn(reader->png, reader, read_bytes);
    clt_png_configure(reader->png, metadata_limit);
    if (!checks_crc) png_set_crc_action(reader->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    return reader;
}

void clt_png_reader_destroy(clt_png_reader *reader) {
    if (!reader) return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

clt_png_status clt_png_reader_read_header(clt_png_reader *reader, clt_png_header *header) {
    if (setjmp(png_jmpbuf(reader->png))) return failure(reader);
    png_read_info(reader->png, reader->info);
    clt_png_describe(reader->png, reader->info, header);
    return CLT_PNG_OK;
}

bool clt_png_reader_profile(clt_png_reader *reader, const uint8_t **bytes, size_t *count) {
    if (setjmp(png_jmpbuf(reader->png))) return false;
    png_charp name = NULL;
    int method = 0;
    png_bytep profile = NULL;
    png_uint_32 size = 0;
    if (!png_get_iCCP(reader->png, reader->info, &name, &method, &profile, &size)) return false;
    *bytes = profile;
    *count = size;
    return true;
}

clt_png_status clt_png_reader_start(clt_png_reader *reader, bool keeps_16, clt_png_layout *layout, int32_t *passes) {
    if (setjmp(png_jmpbuf(reader->png))) return failure(reader);
    clt_png_transform(reader->png, reader->info, keeps_16, layout, passes);
    return CLT_PNG_OK;
}

clt_png_status clt_png_reader_read_rows(
    clt_png_reader *reader, uint8_t *target, size_t stride, uint32_t rows, bool fills_blocks, uint32_t *got) {
    *got = 0;
    if (setjmp(png_jmpbuf(reader->png))) return failure(reader);
    while (*got < rows) {
        uint8_t *row = target + (size_t)*got * stride;
        png_read_row(reader->png, fills_blocks ? NULL : row, fills_blocks ? row : NULL);
        *got += 1;
    }
    return CLT_PNG_OK;
}

const char *clt_png_reader_message(const clt_png_reader *reader) { return reader->message; }
