#pragma once

#include <stddef.h>
#include <stdint.h>

/// One image file of the demo's gallery, embedded in the binary.
typedef struct {
    /// The file name, zero-terminated.
    const char *_Nonnull name;
    const uint8_t *_Nonnull bytes;
    /// The number of bytes.
    size_t count;
} clt_gallery_file;

/// The number of files.
size_t clt_gallery_count(void);

/// The file at an index from 0 to `clt_gallery_count() - 1`; files are sorted by name.
clt_gallery_file clt_gallery_at(size_t index);
