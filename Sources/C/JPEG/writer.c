#include "CCalotypeJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

struct clt_jpeg_writer {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf leave;
    clt_status failure;
    char message[JMSG_LENGTH_MAX];
    unsigned char *bytes;
    unsigned long count;
};

static void on_error(j_common_ptr info) {
    clt_jpeg_writer *writer = info->client_data;
    info->err->format_message(info, writer->message);
    writer->failure = info->err->msg_code == JERR_OUT_OF_MEMORY ? CLT_NO_MEMORY : CLT_UNSUPPORTED;
    longjmp(writer->leave, 1);
}

static void on_message(j_common_ptr info, int level) {
    (void)info;
    (void)level;
}

clt_jpeg_writer *clt_jpeg_writer_create(void) {
    clt_jpeg_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->info.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = on_error;
    writer->errors.emit_message = on_message;
    writer->info.client_data = writer;
    if (setjmp(writer->leave)) {
        clt_jpeg_writer_destroy(writer);
        return NULL;
    }
    jpeg_create_compress(&writer->info);
    jpeg_mem_dest(&writer->info, &writer->bytes, &writer->count);
    return writer;
}

void clt_jpeg_writer_destroy(clt_jpeg_writer *writer) {
    if (!writer) return;
    jpeg_destroy_compress(&writer->info);
    free(writer->bytes);
    free(writer);
}

clt_status clt_jpeg_writer_start(
    clt_jpeg_writer *writer, uint32_t width, uint32_t height, bool gray, int quality, int chroma_columns,
    int chroma_rows, bool progressive, const uint8_t *icc, size_t icc_count, const uint8_t *exif, size_t exif_count) {
    if (setjmp(writer->leave)) return writer->failure;
    j_compress_ptr info = &writer->info;
    info->image_width = width;
    info->image_height = height;
    info->input_components = gray ? 1 : 4;
    info->in_color_space = gray ? JCS_GRAYSCALE : JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, quality, TRUE);
    info->optimize_coding = TRUE;
    if (!gray) {
        info->comp_info[0].h_samp_factor = chroma_columns;
        info->comp_info[0].v_samp_factor = chroma_rows;
    }
    if (progressive) jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    if (exif) jpeg_write_marker(info, JPEG_APP0 + 1, exif, (unsigned)exif_count);
    // A profile has at most 255 segments.
    if (icc && icc_count <= (size_t)255 * (65533 - 14)) jpeg_write_icc_profile(info, icc, (unsigned)icc_count);
    return CLT_OK;
}

clt_status clt_jpeg_writer_write_row(clt_jpeg_writer *writer, const uint8_t *row) {
    if (setjmp(writer->leave)) return writer->failure;
    JSAMPROW pointer = (JSAMPROW)(uintptr_t)row;
    jpeg_write_scanlines(&writer->info, &pointer, 1);
    return CLT_OK;
}

clt_status clt_jpeg_writer_finish(clt_jpeg_writer *writer, const uint8_t **bytes, size_t *count) {
    if (setjmp(writer->leave)) return writer->failure;
    jpeg_finish_compress(&writer->info);
    *bytes = writer->bytes;
    *count = writer->count;
    return CLT_OK;
}

const char *clt_jpeg_writer_message(const clt_jpeg_writer *writer) { return writer->message; }
