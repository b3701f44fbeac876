#include "CCalotypeJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

struct clt_jpeg_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf leave;
    clt_jpeg_status failure;
    char message[JMSG_LENGTH_MAX];

    /// Bytes that arrived and are not read yet, for input in pieces.
    uint8_t *held;
    size_t held_capacity;
    /// How much of the input to come is to be passed over.
    size_t skip;
    /// What follows, of a whole file, on the bytes that libjpeg was given last.
    const uint8_t *rest;
    size_t rest_count;
    /// Whether what is supplied next belongs to a scan whose fill bytes are left out.
    bool in_scan;
    bool is_borrowed, is_last, hit_end, was_clean, is_damaged, is_created;
};

static const JOCTET end_marker[2] = {0xFF, JPEG_EOI};

static clt_jpeg_reader *reader_of(j_common_ptr info) { return info->client_data; }

static void on_error(j_common_ptr info) {
    clt_jpeg_reader *reader = reader_of(info);
    info->err->format_message(info, reader->message);
    switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE: reader->failure = CLT_JPEG_NO_MEMORY; break;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL: reader->failure = CLT_JPEG_UNSUPPORTED; break;
    default: reader->failure = CLT_JPEG_CORRUPT; break;
    }
    longjmp(reader->leave, 1);
}

static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    clt_jpeg_reader *reader = reader_of(info);
    info->err->num_warnings++;
    // Whatever goes wrong once the end of the input was made up is missing input.
    if (reader->hit_end && info->err->msg_code != JWRN_JPEG_EOF) reader->is_damaged = true;
    const struct jpeg_decompress_struct *image = &reader->info;
    switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:
        // Nothing brings a scan without restart markers back: if it is the only one, or begins the coefficients, all that
        // follows in the picture is missing. Elsewhere a strip or some detail is.
        if (image->restart_interval != 0) return;
        if (image->buffered_image && (image->Ss != 0 || image->Ah != 0)) return;
        break;
    // A few blocks that are wrong, in a picture that is there.
    default: return;
    }
    if (!reader->is_damaged && !reader->hit_end) info->err->format_message(info, reader->message);
    reader->is_damaged = true;
}

static void on_output(j_common_ptr info) { (void)info; }

// Fill bytes in a scan.
//
// libjpeg-turbo decodes sequential Huffman data in two ways: fast, as long as much input lies before it, and with care. Where
// the fast way meets a marker, the blocks are decoded once more with care, but are not cleared: what was made up beyond the
// marker stays where nothing is written over it. Among markers the fast way counts FF FF 00, which the other reads as fill and
// a data byte. Such a file would give one picture when much of it lies there, and another one when it arrives in small pieces.
// So libjpeg is not shown any fill bytes inside of scans, and sees FF 00, of which both ways make the same.

/// Whether the FF before `next` is fill (FF), or the end of the scan: neither a data byte nor part of a marker that libjpeg
/// passes over on its way to the next restart.
static bool interrupts(uint8_t next) { return next >= 0xC0 && (next < 0xD0 || next > 0xD7); }

/// Where in a scan's data the first FF is that interrupts it, or `count`.
static size_t plain_bytes(const uint8_t *bytes, size_t count) {
    enum { block = 512 };
    size_t at = 0;
    for (; count - at > block; at += block) {
        unsigned found = 0;
        for (size_t i = 0; i < block; i++) found |= (bytes[at + i] == 0xFF) & (bytes[at + i + 1] >= 0xC0);
        if (!found) continue;
        for (size_t i = 0; i < block; i++) {
            if (bytes[at + i] == 0xFF && interrupts(bytes[at + i + 1])) return at + i;
        }
    }
    for (; at + 1 < count; at++) {
        if (bytes[at] == 0xFF && interrupts(bytes[at + 1])) return at;
    }
    return count;
}

/// The length of a run of FF, less one.
static size_t fill_bytes(const uint8_t *bytes, size_t count) {
    size_t last = 0;
    while (last + 1 < count && bytes[last + 1] == 0xFF) last++;
    return last;
}

/// Gives libjpeg what follows of a whole file, up to the next fill bytes.
static void give_rest(clt_jpeg_reader *reader) {
    const uint8_t *bytes = reader->rest;
    size_t count = reader->rest_count;
    size_t plain = reader->in_scan ? plain_bytes(bytes, count) : count;
    size_t fill = plain < count ? fill_bytes(bytes + plain, count - plain) : 0;
    if (fill == 0) {
        reader->in_scan = false;
        plain = count;
    }
    reader->source.next_input_byte = bytes;
    reader->source.bytes_in_buffer = plain;
    reader->rest = bytes + plain + fill;
    reader->rest_count = count - plain - fill;
}

/// Takes the fill bytes out of the last `count` held bytes, as far as their scan goes.
static void drop_fill(clt_jpeg_reader *reader, uint8_t *bytes, size_t count) {
    uint8_t *to = bytes;
    while (reader->in_scan && count > 0) {
        size_t plain = plain_bytes(bytes, count);
        size_t fill = plain < count ? fill_bytes(bytes + plain, count - plain) : 0;
        if (plain < count && fill == 0) {
            reader->in_scan = false;
            break;
        }
        if (to != bytes) memmove(to, bytes, plain);
        to += plain;
        bytes += plain + fill;
        count -= plain + fill;
        reader->source.bytes_in_buffer -= fill;
    }
    if (to != bytes) memmove(to, bytes, count);
}

/// From here on libjpeg reads a scan.
static void begin_scan(clt_jpeg_reader *reader) {
    if (reader->info.progressive_mode || reader->info.arith_code) return;
    reader->in_scan = true;
    struct jpeg_source_mgr *source = &reader->source;
    if (reader->is_borrowed) {
        reader->rest_count += source->bytes_in_buffer;
        reader->rest = source->next_input_byte;
        give_rest(reader);
    } else if (source->bytes_in_buffer > 0 && !reader->hit_end) {
        drop_fill(reader, reader->held + (source->next_input_byte - reader->held), source->bytes_in_buffer);
    }
}

static void init_source(j_decompress_ptr info) { (void)info; }

static void term_source(j_decompress_ptr info) { (void)info; }

/// Suspends while more may come; after the last byte it supplies the end marker that is missing, as libjpeg advises.
static boolean fill_input(j_decompress_ptr info) {
    clt_jpeg_reader *reader = reader_of((j_common_ptr)info);
    if (!reader->is_last) return FALSE;
    if (reader->rest_count > 0) {
        give_rest(reader);
        return TRUE;
    }
    if (!reader->hit_end && !reader->is_damaged) snprintf(reader->message, sizeof reader->message, "the data ends early");
    if (!reader->hit_end) reader->was_clean = reader->errors.num_warnings == 0;
    reader->hit_end = true;
    info->src->next_input_byte = end_marker;
    info->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

static void skip_input(j_decompress_ptr info, long count) {
    clt_jpeg_reader *reader = reader_of((j_common_ptr)info);
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
    reader->errors.output_message = on_output;
    reader->info.client_data = reader;
    if (setjmp(reader->leave)) {
        clt_jpeg_reader_destroy(reader);
        return NULL;
    }
    reader->is_created = true;
    jpeg_create_decompress(&reader->info);
    reader->info.client_data = reader;
    reader->info.mem->max_memory_to_use = memory_limit > 0x7FFFFFFFFFFFL ? 0x7FFFFFFFFFFFL : (long)memory_limit;
    reader->source.init_source = init_source;
    reader->source.fill_input_buffer = fill_input;
    reader->source.skip_input_data = skip_input;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = term_source;
    reader->info.src = &reader->source;
    jpeg_save_markers(&reader->info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_save_markers(&reader->info, JPEG_APP0 + 2, 0xFFFF);
    return reader;
}

void clt_jpeg_reader_destroy(clt_jpeg_reader *reader) {
    if (!reader) return;
    if (reader->is_created && !setjmp(reader->leave)) jpeg_destroy_decompress(&reader->info);
    free(reader->held);
    free(reader);
}

void clt_jpeg_reader_borrow(clt_jpeg_reader *reader, const uint8_t *bytes, size_t count) {
    reader->source.next_input_byte = bytes;
    reader->source.bytes_in_buffer = count;
    reader->is_borrowed = true;
    reader->is_last = true;
}

clt_jpeg_status clt_jpeg_reader_supply(clt_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_last) {
    reader->is_last = is_last;
    size_t passed = reader->skip < count ? reader->skip : count;
    reader->skip -= passed;
    bytes += passed;
    count -= passed;
    size_t tail = reader->source.bytes_in_buffer;
    if (count > SIZE_MAX / 2 - tail) return CLT_JPEG_NO_MEMORY;
    size_t needed = tail + count;
    size_t start = reader->held && tail ? (size_t)(reader->source.next_input_byte - reader->held) : 0;
    if (start + needed > reader->held_capacity) {
        size_t capacity = needed + needed / 2 + 4096;
        uint8_t *larger = malloc(capacity);
        if (!larger) return CLT_JPEG_NO_MEMORY;
        if (tail) memcpy(larger, reader->source.next_input_byte, tail);
        free(reader->held);
        reader->held = larger;
        reader->held_capacity = capacity;
        start = 0;
    }
    if (count) memcpy(reader->held + start + tail, bytes, count);
    reader->source.next_input_byte = reader->held + start;
    reader->source.bytes_in_buffer = needed;
    // The byte before may be the first of a run.
    size_t before = tail > 0 ? 1 : 0;
    if (reader->in_scan) drop_fill(reader, reader->held + start + tail - before, count + before);
    return CLT_JPEG_OK;
}

/// What several scans make libjpeg hold: 64 coefficients of 16 bits a block.
static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *info) {
    uint64_t sum = 0;
    for (int i = 0; i < info->num_components; i++) {
        uint64_t wide = info->comp_info[i].width_in_blocks, high = info->comp_info[i].height_in_blocks;
        uint64_t h = (uint64_t)info->comp_info[i].h_samp_factor, v = (uint64_t)info->comp_info[i].v_samp_factor;
        sum += (wide + h) * (high + v) * DCTSIZE2 * sizeof(JCOEF);
    }
    return sum;
}

clt_jpeg_status clt_jpeg_reader_read_header(clt_jpeg_reader *reader, clt_jpeg_header *header) {
    if (setjmp(reader->leave)) return reader->failure;
    if (jpeg_read_header(&reader->info, TRUE) == JPEG_SUSPENDED) return CLT_JPEG_NEEDS_INPUT;
    const struct jpeg_decompress_struct *info = &reader->info;
    if (info->data_precision != 8) {
        snprintf(reader->message, sizeof reader->message, "samples of %d bits", info->data_precision);
        return CLT_JPEG_UNSUPPORTED;
    }
    header->width = info->image_width;
    header->height = info->image_height;
    header->components = info->num_components;
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: header->model = CLT_JPEG_GRAY; break;
    case JCS_RGB:
    case JCS_YCbCr: header->model = CLT_JPEG_RGB; break;
    case JCS_CMYK:
    case JCS_YCCK: header->model = CLT_JPEG_CMYK; break;
    default: header->model = CLT_JPEG_OTHER; break;
    }
    header->has_adobe_marker = info->saw_Adobe_marker;
    header->is_progressive = info->progressive_mode;
    header->is_arithmetic = info->arith_code;
    header->has_multiple_scans = jpeg_has_multiple_scans(&reader->info);
    header->coefficient_bytes = header->has_multiple_scans ? coefficient_bytes(info) : 0;
    return CLT_JPEG_OK;
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

clt_jpeg_status clt_jpeg_reader_start(
    clt_jpeg_reader *reader, unsigned eighths, uint32_t *output_width, uint32_t *output_height) {
    if (setjmp(reader->leave)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: info->out_color_space = JCS_GRAYSCALE; break;
    case JCS_CMYK:
    case JCS_YCCK: info->out_color_space = JCS_CMYK; break;
    default: info->out_color_space = JCS_EXT_RGBA; break;
    }
    info->scale_num = eighths;
    info->scale_denom = 8;
    info->buffered_image = jpeg_has_multiple_scans(info);
    begin_scan(reader);
    if (!jpeg_start_decompress(info)) return CLT_JPEG_NEEDS_INPUT;
    *output_width = info->output_width;
    *output_height = info->output_height;
    return CLT_JPEG_OK;
}

clt_jpeg_status clt_jpeg_reader_consume(clt_jpeg_reader *reader, unsigned steps, int32_t *scans) {
    if (setjmp(reader->leave)) return reader->failure;
    while (steps-- > 0) {
        int result = jpeg_consume_input(&reader->info);
        *scans = reader->info.input_scan_number;
        if (result == JPEG_SUSPENDED) return CLT_JPEG_NEEDS_INPUT;
        if (result == JPEG_REACHED_EOI) return CLT_JPEG_END;
        if (result == JPEG_REACHED_SOS) begin_scan(reader);
        if (result == JPEG_SCAN_COMPLETED) return CLT_JPEG_SCAN_END;
    }
    return CLT_JPEG_OK;
}

clt_jpeg_status clt_jpeg_reader_start_output(clt_jpeg_reader *reader, int32_t scan) {
    if (setjmp(reader->leave)) return reader->failure;
    return jpeg_start_output(&reader->info, scan) ? CLT_JPEG_OK : CLT_JPEG_NEEDS_INPUT;
}

clt_jpeg_status clt_jpeg_reader_finish_output(clt_jpeg_reader *reader) {
    if (setjmp(reader->leave)) return reader->failure;
    return jpeg_finish_output(&reader->info) ? CLT_JPEG_OK : CLT_JPEG_NEEDS_INPUT;
}

clt_jpeg_status clt_jpeg_reader_read_rows(
    clt_jpeg_reader *reader, uint8_t *target, size_t stride, uint32_t rows, uint32_t *got) {
    *got = 0;
    if (setjmp(reader->leave)) return reader->failure;
    while (*got < rows) {
        JSAMPROW pointers[16];
        uint32_t batch = rows - *got < 16 ? rows - *got : 16;
        for (uint32_t i = 0; i < batch; i++) pointers[i] = target + (size_t)(*got + i) * stride;
        uint32_t read = jpeg_read_scanlines(&reader->info, pointers, batch);
        if (read == 0) return CLT_JPEG_NEEDS_INPUT;
        *got += read;
    }
    return CLT_JPEG_OK;
}

bool clt_jpeg_reader_is_damaged(const clt_jpeg_reader *reader) { return reader->is_damaged; }

bool clt_jpeg_reader_hit_end(const clt_jpeg_reader *reader) { return reader->hit_end; }

bool clt_jpeg_reader_was_cut(const clt_jpeg_reader *reader) { return reader->hit_end && reader->was_clean; }

bool clt_jpeg_reader_is_complete(const clt_jpeg_reader *reader) {
    const struct jpeg_decompress_struct *info = &reader->info;
    if (!info->progressive_mode || !info->coef_bits) return true;
    for (int i = 0; i < info->num_components; i++) {
        for (int k = 0; k < DCTSIZE2; k++) {
            if (info->coef_bits[i][k] != 0) return false;
        }
    }
    return true;
}

const char *clt_jpeg_reader_message(const clt_jpeg_reader *reader) { return reader->message; }
