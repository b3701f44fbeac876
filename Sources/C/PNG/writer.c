#include "shared.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct clt_png_writer {
    clt_png_failure failure;
    png_structp png;
    png_infop info;
    uint8_t *bytes;
    size_t count, capacity;
};

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    clt_png_writer *writer = png_get_io_ptr(png);
    if (count > writer->capacity - writer->count) {
        size_t capacity = writer->count + count + writer->capacity + 4096;
        uint8_t *larger = realloc(writer->bytes, capacity);
        if (!larger) {
            writer->failure.out_of_memory = true;
            png_error(png, "there is no memory for the file");
        }
        writer->bytes = larger;
        writer->capacity = capacity;
    }
    memcpy(writer->bytes + writer->count, bytes, count);
    writer->count += count;
}

static void flush_bytes(png_structp png) { (void)png; }

clt_png_writer *clt_png_writer_create(void) {
    clt_png_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer->failure, clt_png_on_error, clt_png_on_warning);
    if (writer->png) writer->info = png_create_info_struct(writer->png);
    if (!writer->info) {
        clt_png_writer_destroy(writer);
        return NULL;
    }
    png_set_write_fn(writer->png, writer, write_bytes, flush_bytes);
    return writer;
}

void clt_png_writer_destroy(clt_png_writer *writer) {
    if (!writer) return;
    png_destroy_write_struct(&writer->png, &writer->info);
    free(writer->bytes);
    free(writer);
}

clt_status clt_png_writer_start(
    clt_png_writer *writer, uint32_t width, uint32_t height, bool is_gray, bool is_16, bool is_opaque, int level,
    const uint8_t *icc, size_t icc_count, const uint8_t *exif, size_t exif_count) {
    if (setjmp(png_jmpbuf(writer->png))) return clt_png_status_of(&writer->failure);
    int color = is_gray ? PNG_COLOR_TYPE_GRAY : is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
    png_set_user_limits(writer->png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_compression_level(writer->png, level);
    png_set_IHDR(
        writer->png, writer->info, width, height, is_16 ? 16 : 8, color, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    if (icc) {
        png_set_iCCP(writer->png, writer->info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, icc, (png_uint_32)icc_count);
    } else {
        png_set_sRGB(writer->png, writer->info, PNG_sRGB_INTENT_PERCEPTUAL);
    }
#ifdef PNG_eXIf_SUPPORTED
    // libpng copies the data, although the parameter is not const.
    if (exif) png_set_eXIf_1(writer->png, writer->info, (png_uint_32)exif_count, (png_bytep)(uintptr_t)exif);
#endif
    png_write_info(writer->png, writer->info);
    if (is_16) {
        const uint16_t one = 1;
        if (*(const uint8_t *)&one == 1) png_set_swap(writer->png);
    }
    if (!is_gray && is_opaque) png_set_filler(writer->png, 0, PNG_FILLER_AFTER);
    return CLT_OK;
}

clt_status clt_png_writer_write_row(clt_png_writer *writer, const uint8_t *row) {
    if (setjmp(png_jmpbuf(writer->png))) return clt_png_status_of(&writer->failure);
    png_write_row(writer->png, row);
    return CLT_OK;
}

clt_status clt_png_writer_finish(clt_png_writer *writer, const uint8_t **bytes, size_t *count) {
    if (setjmp(png_jmpbuf(writer->png))) return clt_png_status_of(&writer->failure);
    png_write_end(writer->png, writer->info);
    *bytes = writer->bytes;
    *count = writer->count;
    return CLT_OK;
}

const char *clt_png_writer_message(const clt_png_writer *writer) { return writer->failure.message; }
