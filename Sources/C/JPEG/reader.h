// The reader that reader.c and source.c share.
#ifndef CCALOTYPE_JPEG_READER_H
#define CCALOTYPE_JPEG_READER_H

#include "CCalotypeJPEG.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

struct clt_jpeg_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf leave;
    clt_jpeg_status failure;
    char message[JMSG_LENGTH_MAX];

    /// Input that arrived in pieces and is not read yet.
    uint8_t *held;
    size_t held_capacity;
    /// Bytes of the next input to skip.
    size_t skip;
    /// The part of a complete file that libjpeg has not received yet.
    const uint8_t *rest;
    size_t rest_count;
    /// Whether the next input belongs to a scan whose fill bytes are removed.
    bool in_scan;
    bool is_borrowed, is_last, hit_end, was_clean, is_damaged, is_created;
};

static inline clt_jpeg_reader *clt_jpeg_reader_of(j_common_ptr info) { return info->client_data; }

/// Makes libjpeg read what `clt_jpeg_reader_borrow` and `clt_jpeg_reader_supply` give it.
void clt_jpeg_reader_set_source(clt_jpeg_reader *reader);

/// Removes fill bytes from the input that follows. Called before libjpeg reads the data of a scan.
void clt_jpeg_reader_begin_scan(clt_jpeg_reader *reader);

#endif
