#include "shared.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct clt_png_reader {
    clt_png_failure failure;
    png_structp png;
    png_infop info;
    clt_png_header header;
    /// The complete file, and the number of bytes that libpng has read; unused for a file in pieces.
    const uint8_t *bytes;
    size_t count, offset;
    /// The memory for the rows of a file in pieces, and the rows that have pixels.
    uint8_t *target;
    size_t stride;
    uint32_t rows;
    uint64_t rows_seen;
};

void clt_png_on_error(png_structp png, png_const_charp text) {
    clt_png_failure *failure = png_get_error_ptr(png);
    strncpy(failure->message, text, sizeof failure->message - 1);
    if (strstr(text, "memory")) failure->out_of_memory = true;
    png_longjmp(png, 1);
}

void clt_png_on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

clt_status clt_png_status_of(const clt_png_failure *failure) {
    return failure->hit_end ? CLT_NEEDS_INPUT : failure->out_of_memory ? CLT_NO_MEMORY : CLT_CORRUPT;
}

/// Sets limits and the chunks to ignore.
static void configure(png_structp png, size_t metadata_limit) {
    // The caller checks width × height; these are the limits of the format.
    png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_chunk_malloc_max(png, metadata_limit);
    png_set_benign_errors(png, 1);
#ifdef PNG_MAXIMUM_INFLATE_WINDOW
    // Some programs write a window into the zlib header that is smaller than the one they use.
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
#endif
#ifdef PNG_SKIP_sRGB_CHECK_PROFILE
    png_set_option(png, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
#endif
    // Text may be compressed by a factor of a thousand, and no caller needs it.
    static const png_byte ignored[] = "tEXt\0zTXt\0iTXt\0eXIf\0hIST\0sPLT\0pCAL\0sCAL\0tIME";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, ignored, (int)(sizeof ignored / 5));
}

clt_png_reader *clt_png_reader_create(size_t metadata_limit) {
    clt_png_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->failure, clt_png_on_error, clt_png_on_warning);
    if (reader->png) reader->info = png_create_info_struct(reader->png);
    if (reader->info) {
        if (!setjmp(png_jmpbuf(reader->png))) {
            configure(reader->png, metadata_limit);
            return reader;
        }
    }
    clt_png_reader_destroy(reader);
    return NULL;
}

void clt_png_reader_destroy(clt_png_reader *reader) {
    if (!reader) return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    clt_png_reader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->offset) {
        reader->failure.hit_end = true;
        png_error(png, "the data ends early");
    }
    memcpy(target, reader->bytes + reader->offset, count);
    reader->offset += count;
    // libpng reads pixel data in pieces of a fixed size, and drops an incomplete piece. Reduce the size for the last
    // piece, so that a truncated file still gives all of its rows.
    size_t rest = reader->count - reader->offset;
    if (rest < PNG_IDAT_READ_SIZE) png_set_compression_buffer_size(png, rest > 0 ? rest : 1);
}

// libpng before 1.6.45 still reports a tRNS chunk that it dropped, so that only the entries themselves prove
// transparency.
static bool has_transparency(png_structp png, png_infop info) {
    png_bytep alpha = NULL;
    png_color_16p color = NULL;
    int count = 0;
    return png_get_tRNS(png, info, &alpha, &count, &color) != 0 && count > 0;
}

static void read_header(clt_png_reader *reader) {
    clt_png_header *header = &reader->header;
    int color = png_get_color_type(reader->png, reader->info);
    header->width = png_get_image_width(reader->png, reader->info);
    header->height = png_get_image_height(reader->png, reader->info);
    header->bit_depth = png_get_bit_depth(reader->png, reader->info);
    header->is_gray = !(color & PNG_COLOR_MASK_COLOR);
    header->is_palette = (color & PNG_COLOR_MASK_PALETTE) != 0;
    header->has_alpha = (color & PNG_COLOR_MASK_ALPHA) || has_transparency(reader->png, reader->info);
    header->is_interlaced = png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
}

clt_status clt_png_reader_read_header(
    clt_png_reader *reader, const uint8_t *bytes, size_t count, bool checks_crc, clt_png_header *header) {
    if (setjmp(png_jmpbuf(reader->png))) return clt_png_status_of(&reader->failure);
    reader->bytes = bytes;
    reader->count = count;
    png_set_read_fn(reader->png, reader, read_bytes);
    if (!checks_crc) png_set_crc_action(reader->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    png_read_info(reader->png, reader->info);
    read_header(reader);
    *header = reader->header;
    return CLT_OK;
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

/// Configures libpng to return grey or RGBA rows.
static void transform(clt_png_reader *reader, bool keeps_16) {
    png_structp png = reader->png;
    const clt_png_header *header = &reader->header;
    bool is_gray = header->is_gray && !header->has_alpha;
    bool is_16 = keeps_16 && header->bit_depth == 16;
    png_set_expand(png);
    if (is_16) {
        const uint16_t one = 1;
        if (*(const uint8_t *)&one == 1) png_set_swap(png);
    } else {
        png_set_scale_16(png);
    }
    if (!is_gray) {
        png_set_gray_to_rgb(png);
        if (!header->has_alpha) png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
    }
    png_set_interlace_handling(png);
    png_read_update_info(png, reader->info);
    // The caller's memory has this layout, so libpng must write exactly this many bytes for each row.
    size_t row = (size_t)header->width * (is_gray ? 1 : 4) * (is_16 ? 2 : 1);
    if (png_get_rowbytes(png, reader->info) != row) png_error(png, "the rows do not have the announced layout");
}

clt_status clt_png_reader_start(clt_png_reader *reader, bool keeps_16) {
    if (setjmp(png_jmpbuf(reader->png))) return clt_png_status_of(&reader->failure);
    transform(reader, keeps_16);
    return CLT_OK;
}

clt_status clt_png_reader_read_rows(
    clt_png_reader *reader, uint8_t *target, size_t stride, uint32_t rows, bool fills_blocks, uint32_t *got) {
    *got = 0;
    if (setjmp(png_jmpbuf(reader->png))) {
        // After the last row libpng reads the end of the zlib data, without which all pixels are there.
        const clt_png_header *header = &reader->header;
        bool is_whole = header->is_interlaced ? png_get_current_pass_number(reader->png) >= 7
                                              : png_get_current_row_number(reader->png) >= header->height;
        bool lacks_end = reader->failure.hit_end || strstr(reader->failure.message, "Not enough image data");
        if (!is_whole || !lacks_end) return clt_png_status_of(&reader->failure);
        *got = rows;
        return CLT_OK;
    }
    while (*got < rows) {
        uint8_t *row = target + (size_t)*got * stride;
        png_read_row(reader->png, fills_blocks ? NULL : row, fills_blocks ? row : NULL);
        *got += 1;
    }
    return CLT_OK;
}

const char *clt_png_reader_message(const clt_png_reader *reader) { return reader->failure.message; }

/// Stops after the header, so that the caller can check it and set the target.
static void on_header(png_structp png, png_infop info) {
    (void)info;
    clt_png_reader *reader = png_get_progressive_ptr(png);
    read_header(reader);
    // Until here no memory depends on the image's size. Samples of 16 bits are converted later, as for a complete file.
    transform(reader, true);
    png_process_data_pause(png, 1);
}

static void on_row(png_structp png, png_bytep row, png_uint_32 number, int pass) {
    clt_png_reader *reader = png_get_progressive_ptr(png);
    if (!reader->target) return;
    png_progressive_combine_row(png, reader->target + (size_t)number * reader->stride, row);
    reader->rows_seen++;
    if (pass > 0) {
        reader->rows = png_get_image_height(png, reader->info);
    } else if (number + 1 > reader->rows) {
        reader->rows = number + 1;
    }
}

clt_status clt_png_reader_push(clt_png_reader *reader, const uint8_t *bytes, size_t count, clt_png_header *header) {
    if (setjmp(png_jmpbuf(reader->png))) return clt_png_status_of(&reader->failure);
    if (!png_get_progressive_ptr(reader->png)) png_set_progressive_read_fn(reader->png, reader, on_header, on_row, NULL);
    png_process_data(reader->png, reader->info, (png_bytep)(uintptr_t)bytes, count);
    *header = reader->header;
    return CLT_OK;
}

void clt_png_reader_set_target(clt_png_reader *reader, uint8_t *target, size_t stride) {
    reader->target = target;
    reader->stride = stride;
}

uint32_t clt_png_reader_rows(const clt_png_reader *reader, uint64_t *rows_seen) {
    *rows_seen = reader->rows_seen;
    return reader->rows;
}
