#pragma once

#include <stddef.h>
#include <stdint.h>

/// One file of the demo's gallery, inside the binary.
typedef struct {
    /// The file's name, zero-terminated.
    const char *_Nonnull name;
    const uint8_t *_Nonnull bytes;
    size_t count;
} clt_gallery_file;

/// How many files there are.
size_t clt_gallery_count(void);

/// The file of that index, in alphabetical order of the names. The index must be below the count.
clt_gallery_file clt_gallery_at(size_t index);
