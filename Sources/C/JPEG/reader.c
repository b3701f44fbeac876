#include "CCalotypeJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <jerror.h>

struct clt_jpeg_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf leave;
    clt_status failure;
    char message[JMSG_LENGTH_MAX];
    /// The file from its start, and the number of bytes to skip in what arrives next.
    const uint8_t *bytes;
    size_t count, skip;
    bool is_last, hit_end, was_clean, is_damaged;
};

static void on_error(j_common_ptr info) {
    clt_jpeg_reader *reader = info->client_data;
    info->err->format_message(info, reader->message);
    switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE: reader->failure = CLT_NO_MEMORY; break;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL: reader->failure = CLT_UNSUPPORTED; break;
    default: reader->failure = CLT_CORRUPT; break;
    }
    longjmp(reader->leave, 1);
}

static bool ends_with_zeros(const clt_jpeg_reader *reader, int count) {
    if (count < 0 || (size_t)count > reader->count) return false;
    for (size_t i = reader->count - (size_t)count; i < reader->count; i++) {
        if (reader->bytes[i] != 0) return false;
    }
    return true;
}

static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    clt_jpeg_reader *reader = info->client_data;
    info->err->num_warnings++;
    // After the end marker was supplied, every problem means missing input, except zeros between the last scan and the
    // end of the file.
    bool is_padding = info->err->msg_code == JWRN_EXTRANEOUS_DATA && ends_with_zeros(reader, info->err->msg_parm.i[0]);
    if (reader->hit_end && info->err->msg_code != JWRN_JPEG_EOF && !is_padding) reader->is_damaged = true;
    const struct jpeg_decompress_struct *image = &reader->info;
    switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:
        // A scan without restart markers cannot continue: if it is the only one, or holds the first bits of the
        // coefficients, the rest of the image is missing. Otherwise a strip or some detail is.
        if (image->restart_interval != 0) return;
        if (image->buffered_image && (image->Ss != 0 || image->Ah != 0)) return;
        break;
    // A few blocks are wrong; the image is complete.
    default: return;
    }
    if (!reader->is_damaged && !reader->hit_end) info->err->format_message(info, reader->message);
    reader->is_damaged = true;
}

static void ignore(j_decompress_ptr info) { (void)info; }

/// Suspends while more input may arrive. After the last byte it supplies the missing end marker, as libjpeg recommends.
static boolean fill_input(j_decompress_ptr info) {
    static const JOCTET end_marker[2] = {0xFF, JPEG_EOI};
    clt_jpeg_reader *reader = info->client_data;
    if (!reader->is_last) return FALSE;
    if (!reader->hit_end && !reader->is_damaged) snprintf(reader->message, sizeof reader->message, "the data ends early");
    if (!reader->hit_end) reader->was_clean = reader->errors.num_warnings == 0;
    reader->hit_end = true;
    info->src->next_input_byte = end_marker;
    info->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

static void skip_input(j_decompress_ptr info, long count) {
    clt_jpeg_reader *reader = info->client_data;
    if (count <= 0) return;
    size_t wanted = (size_t)count, here = info->src->bytes_in_buffer;
    size_t now = wanted < here ? wanted : here;
    info->src->next_input_byte += now;
    info->src->bytes_in_buffer -= now;
    reader->skip += wanted - now;
}

clt_jpeg_reader *clt_jpeg_reader_create(size_t memory_limit) {
    clt_jpeg_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->info.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = on_error;
    reader->errors.emit_message = on_message;
    reader->info.client_data = reader;
    if (setjmp(reader->leave)) {
        clt_jpeg_reader_destroy(reader);
        return NULL;
    }
    jpeg_create_decompress(&reader->info);
    reader->info.mem->max_memory_to_use = memory_limit > 0x7FFFFFFFFFFFL ? 0x7FFFFFFFFFFFL : (long)memory_limit;
    reader->source.init_source = ignore;
    reader->source.fill_input_buffer = fill_input;
    reader->source.skip_input_data = skip_input;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = ignore;
    reader->info.src = &reader->source;
    jpeg_save_markers(&reader->info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_save_markers(&reader->info, JPEG_APP0 + 2, 0xFFFF);
    return reader;
}

void clt_jpeg_reader_destroy(clt_jpeg_reader *reader) {
    if (!reader) return;
    jpeg_destroy_decompress(&reader->info);
    free(reader);
}

void clt_jpeg_reader_supply(clt_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_last) {
    struct jpeg_source_mgr *source = &reader->source;
    size_t read = reader->bytes ? (size_t)(source->next_input_byte - reader->bytes) : 0;
    size_t skipped = reader->skip < count - read ? reader->skip : count - read;
    reader->skip -= skipped;
    reader->bytes = bytes;
    reader->count = count;
    reader->is_last = is_last;
    source->next_input_byte = bytes + read + skipped;
    source->bytes_in_buffer = count - read - skipped;
}

/// The memory that libjpeg needs for several scans: 64 coefficients of 16 bits for each block.
static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *info) {
    uint64_t sum = 0;
    for (int i = 0; i < info->num_components; i++) {
        uint64_t wide = info->comp_info[i].width_in_blocks, high = info->comp_info[i].height_in_blocks;
        uint64_t h = (uint64_t)info->comp_info[i].h_samp_factor, v = (uint64_t)info->comp_info[i].v_samp_factor;
        sum += (wide + h) * (high + v) * DCTSIZE2 * sizeof(JCOEF);
    }
    return sum;
}

clt_status clt_jpeg_reader_read_header(clt_jpeg_reader *reader, clt_jpeg_header *header) {
    if (setjmp(reader->leave)) return reader->failure;
    if (jpeg_read_header(&reader->info, TRUE) == JPEG_SUSPENDED) return CLT_NEEDS_INPUT;
    const struct jpeg_decompress_struct *info = &reader->info;
    if (info->data_precision != 8) {
        snprintf(reader->message, sizeof reader->message, "samples of %d bits", info->data_precision);
        return CLT_UNSUPPORTED;
    }
    if (info->jpeg_color_space == JCS_UNKNOWN) {
        snprintf(reader->message, sizeof reader->message, "%d colour components", info->num_components);
        return CLT_UNSUPPORTED;
    }
    if (info->num_components == 3) reader->info.out_color_space = JCS_EXT_RGBA;
    header->width = info->image_width;
    header->height = info->image_height;
    header->components = info->num_components;
    header->is_progressive = info->progressive_mode;
    header->is_arithmetic = info->arith_code;
    header->has_multiple_scans = jpeg_has_multiple_scans(&reader->info);
    header->coefficient_bytes = header->has_multiple_scans ? coefficient_bytes(info) : 0;
    return CLT_OK;
}

bool clt_jpeg_reader_marker(
    const clt_jpeg_reader *reader, size_t index, uint8_t *code, const uint8_t **bytes, size_t *count) {
    const struct jpeg_marker_struct *marker = reader->info.marker_list;
    while (marker && index > 0) {
        marker = marker->next;
        index--;
    }
    if (!marker) return false;
    *code = marker->marker;
    *bytes = marker->data;
    *count = marker->data_length;
    return true;
}

double clt_jpeg_reader_detail(const clt_jpeg_reader *reader, unsigned eighths) {
    const struct jpeg_decompress_struct *info = &reader->info;
    unsigned widest = (unsigned)info->max_h_samp_factor, highest = (unsigned)info->max_v_samp_factor;
    double least = 1;
    for (int i = 0; i < info->num_components; i++) {
        unsigned h = (unsigned)info->comp_info[i].h_samp_factor, v = (unsigned)info->comp_info[i].v_samp_factor;
        // libjpeg scales a component less where that spares it from doubling both directions later.
        unsigned own = eighths;
        while (own < DCTSIZE && widest * eighths % (h * own * 2) == 0 && highest * eighths % (v * own * 2) == 0) own *= 2;
        if (own == DCTSIZE) continue;
        double across = (double)(h * own) / (widest * eighths), down = (double)(v * own) / (highest * eighths);
        double detail = across < down ? across : down;
        if (detail < least) least = detail;
    }
    return least;
}

clt_status clt_jpeg_reader_start(
    clt_jpeg_reader *reader, unsigned eighths, uint32_t *output_width, uint32_t *output_height) {
    if (setjmp(reader->leave)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    info->scale_num = eighths;
    info->scale_denom = 8;
    info->buffered_image = jpeg_has_multiple_scans(info);
    if (!jpeg_start_decompress(info)) return CLT_NEEDS_INPUT;
    *output_width = info->output_width;
    *output_height = info->output_height;
    return CLT_OK;
}

clt_status clt_jpeg_reader_consume(clt_jpeg_reader *reader, unsigned steps, int32_t *scans) {
    if (setjmp(reader->leave)) return reader->failure;
    while (steps-- > 0) {
        int result = jpeg_consume_input(&reader->info);
        *scans = reader->info.input_scan_number;
        if (result == JPEG_SUSPENDED) return CLT_NEEDS_INPUT;
        if (result == JPEG_REACHED_EOI) return CLT_END;
        if (result == JPEG_SCAN_COMPLETED) return CLT_SCAN_END;
    }
    return CLT_OK;
}

clt_status clt_jpeg_reader_start_output(clt_jpeg_reader *reader, int32_t scan) {
    if (setjmp(reader->leave)) return reader->failure;
    return jpeg_start_output(&reader->info, scan) ? CLT_OK : CLT_NEEDS_INPUT;
}

clt_status clt_jpeg_reader_finish_output(clt_jpeg_reader *reader) {
    if (setjmp(reader->leave)) return reader->failure;
    return jpeg_finish_output(&reader->info) ? CLT_OK : CLT_NEEDS_INPUT;
}

clt_status clt_jpeg_reader_read_rows(
    clt_jpeg_reader *reader, uint8_t *target, size_t stride, uint32_t rows, uint32_t *got) {
    *got = 0;
    if (setjmp(reader->leave)) return reader->failure;
    while (*got < rows) {
        JSAMPROW pointers[16];
        uint32_t batch = rows - *got < 16 ? rows - *got : 16;
        for (uint32_t i = 0; i < batch; i++) pointers[i] = target + (size_t)(*got + i) * stride;
        uint32_t read = jpeg_read_scanlines(&reader->info, pointers, batch);
        if (read == 0) return CLT_NEEDS_INPUT;
        *got += read;
    }
    return CLT_OK;
}

bool clt_jpeg_reader_hit_end(const clt_jpeg_reader *reader) { return reader->hit_end; }

bool clt_jpeg_reader_was_cut(const clt_jpeg_reader *reader) { return reader->hit_end && reader->was_clean; }

/// Whether every component has been in a scan, and every coefficient has all its bits.
static bool has_all_bits(const struct jpeg_decompress_struct *info) {
    for (int i = 0; i < info->num_components; i++) {
        // libjpeg sets the table at the first scan of the component.
        if (!info->comp_info[i].quant_table) return false;
        if (!info->progressive_mode || !info->coef_bits) continue;
        for (int k = 0; k < DCTSIZE2; k++) {
            if (info->coef_bits[i][k] != 0) return false;
        }
    }
    return true;
}

clt_status clt_jpeg_reader_damage(const clt_jpeg_reader *reader) {
    bool is_unfinished = reader->is_damaged || reader->info.arith_code || !has_all_bits(&reader->info);
    if (reader->hit_end && is_unfinished) return CLT_NEEDS_INPUT;
    return reader->is_damaged ? CLT_CORRUPT : CLT_OK;
}

const char *clt_jpeg_reader_message(const clt_jpeg_reader *reader) { return reader->message; }
