#include "CCalotypePNG.h"
#include "shared.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct clt_png_pusher {
    png_structp png;
    png_infop info;
    clt_png_header header;
    uint8_t *target;
    size_t stride;
    uint32_t rows;
    uint64_t rows_seen;
    int32_t passes;
    clt_png_layout layout;
    bool has_header, is_finished, out_of_memory;
    char message[160];
};

static void on_error(png_structp png, png_const_charp text) {
    clt_png_pusher *pusher = png_get_error_ptr(png);
    strncpy(pusher->message, text, sizeof pusher->message - 1);
    if (strstr(text, "memory")) pusher->out_of_memory = true;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

/// Stops after the header, so that the caller can check it and set the target.
static void on_header(png_structp png, png_infop info) {
    clt_png_pusher *pusher = png_get_progressive_ptr(png);
    pusher->has_header = true;
    clt_png_describe(png, info, &pusher->header);
    // Until here no memory depends on the image's size. Samples of 16 bits are converted later, as for a complete file.
    clt_png_transform(png, info, true, &pusher->layout, &pusher->passes);
    png_process_data_pause(png, 1);
}

static void on_row(png_structp png, png_bytep row, png_uint_32 number, int pass) {
    clt_png_pusher *pusher = png_get_progressive_ptr(png);
    if (!pusher->target) return;
    png_progressive_combine_row(png, pusher->target + (size_t)number * pusher->stride, row);
    pusher->rows_seen++;
    if (pusher->passes == 1 || pass == 0) {
        if (number + 1 > pusher->rows) pusher->rows = number + 1;
    } else {
        pusher->rows = pusher->header.height;
    }
    pusher->is_finished = pass + 1 == pusher->passes && number + 1 == pusher->header.height;
}

static void on_end(png_structp png, png_infop info) {
    (void)png;
    (void)info;
}

clt_png_pusher *clt_png_pusher_create(size_t metadata_limit) {
    clt_png_pusher *pusher = calloc(1, sizeof *pusher);
    if (!pusher) return NULL;
    pusher->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, pusher, on_error, on_warning);
    if (!pusher->png) {
        free(pusher);
        return NULL;
    }
    if (setjmp(png_jmpbuf(pusher->png))) {
        clt_png_pusher_destroy(pusher);
        return NULL;
    }
    pusher->info = png_create_info_struct(pusher->png);
    if (!pusher->info) {
        clt_png_pusher_destroy(pusher);
        return NULL;
    }
    clt_png_configure(pusher->png, metadata_limit);
    png_set_progressive_read_fn(pusher->png, pusher, on_header, on_row, on_end);
    return pusher;
}

void clt_png_pusher_destroy(clt_png_pusher *pusher) {
    if (!pusher) return;
    png_destroy_read_struct(&pusher->png, &pusher->info, NULL);
    free(pusher);
}

clt_png_status clt_png_pusher_supply(clt_png_pusher *pusher, const uint8_t *bytes, size_t count) {
    if (setjmp(png_jmpbuf(pusher->png))) return pusher->out_of_memory ? CLT_PNG_NO_MEMORY : CLT_PNG_CORRUPT;
    png_process_data(pusher->png, pusher->info, (png_bytep)(uintptr_t)bytes, count);
    return CLT_PNG_OK;
}

bool clt_png_pusher_header(const clt_png_pusher *pusher, clt_png_header *header, clt_png_layout *layout, int32_t *passes) {
    if (!pusher->has_header) return false;
    *header = pusher->header;
    *layout = pusher->layout;
    *passes = pusher->passes;
    return true;
}

bool clt_png_pusher_profile(clt_png_pusher *pusher, const uint8_t **bytes, size_t *count) {
    if (setjmp(png_jmpbuf(pusher->png))) return false;
    png_charp name = NULL;
    int method = 0;
    png_bytep profile = NULL;
    png_uint_32 size = 0;
    if (!png_get_iCCP(pusher->png, pusher->info, &name, &method, &profile, &size)) return false;
    *bytes = profile;
    *count = size;
    return true;
}

void clt_png_pusher_set_target(clt_png_pusher *pusher, uint8_t *target, size_t stride) {
    pusher->target = target;
    pusher->stride = stride;
}

uint32_t clt_png_pusher_rows(const clt_png_pusher *pusher) { return pusher->rows; }

uint64_t clt_png_pusher_rows_seen(const clt_png_pusher *pusher) { return pusher->rows_seen; }

bool clt_png_pusher_is_finished(const clt_png_pusher *pusher) { return pusher->is_finished; }

const char *clt_png_pusher_message(const clt_png_pusher *pusher) { return pusher->message; }
