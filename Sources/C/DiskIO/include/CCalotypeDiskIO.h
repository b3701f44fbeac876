/// System calls of the disk cache that Swift's own modules do not export.
#ifndef CCALOTYPE_DISK_IO_H
#define CCALOTYPE_DISK_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Reads `size` bytes at `offset` in one call that never waits for a disk: it reads only from the page cache.
///
/// Returns the number of bytes read: fewer than requested at the end of the file or if the rest is not in the page cache; or
/// -1 with `errno`, which is `EAGAIN` or `EOPNOTSUPP` if the read would wait or the file system does not support this.
ptrdiff_t calotype_read_cached(int file, void *buffer, size_t size, int64_t offset);

/// Whether the file is in a tmpfs, so that reading it never waits.
bool calotype_is_in_memory(int file);

#endif
