// The source manager of libjpeg: input that is complete or arrives in pieces, without the fill bytes of scans.
#include "reader.h"

#include <stdlib.h>
#include <string.h>

static const JOCTET end_marker[2] = {0xFF, JPEG_EOI};

// Fill bytes in a scan.
//
// libjpeg-turbo has two decoders for sequential Huffman data: a fast one for when much input is available, and a slow one.
// When the fast decoder meets a marker, the slow one decodes the blocks again without clearing them, so values that the fast
// one made up after the marker remain. The fast decoder takes FF FF 00 for a marker; the slow one reads a fill byte and a data
// byte. Such a file would give one image when it is complete and another when it arrives in small pieces. Removing the fill
// bytes leaves FF 00, which both decoders read alike.

/// Whether the FF before `next` is a fill byte or ends the scan: it is neither data nor part of a marker that libjpeg skips
/// on its way to the next restart.
static bool interrupts(uint8_t next) { return next >= 0xC0 && (next < 0xD0 || next > 0xD7); }

/// The offset of the first FF that interrupts the data of a scan, or `count`.
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

/// Passes the rest of a complete file to libjpeg, up to the next fill bytes.
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

/// Removes the fill bytes of the scan from the last `count` held bytes.
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

void clt_jpeg_reader_begin_scan(clt_jpeg_reader *reader) {
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

/// Suspends while more input may arrive. After the last byte it supplies the missing end marker, as libjpeg recommends.
static boolean fill_input(j_decompress_ptr info) {
    clt_jpeg_reader *reader = clt_jpeg_reader_of((j_common_ptr)info);
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
    clt_jpeg_reader *reader = clt_jpeg_reader_of((j_common_ptr)info);
    if (count <= 0) return;
    size_t wanted = (size_t)count, here = info->src->bytes_in_buffer;
    size_t now = wanted < here ? wanted : here;
    info->src->next_input_byte += now;
    info->src->bytes_in_buffer -= now;
    reader->skip += wanted - now;
}

void clt_jpeg_reader_set_source(clt_jpeg_reader *reader) {
    reader->source.init_source = init_source;
    reader->source.fill_input_buffer = fill_input;
    reader->source.skip_input_data = skip_input;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = term_source;
    reader->info.src = &reader->source;
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
    // A run of FF may begin with the last byte of the previous chunk.
    size_t before = tail > 0 ? 1 : 0;
    if (reader->in_scan) drop_fill(reader, reader->held + start + tail - before, count + before);
    return CLT_JPEG_OK;
}
