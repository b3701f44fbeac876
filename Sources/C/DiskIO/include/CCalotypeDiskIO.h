/// System calls of the disk cache that Swift's view of the C library leaves out.
#ifndef CCALOTYPE_DISK_IO_H
#define CCALOTYPE_DISK_IO_H

#ifdef __linux__
#include <stddef.h>
#include <stdint.h>

/// `O_NOATIME`.
extern const int clt_no_access_time;

/// Reads `size` bytes at `offset` in one call that never waits for a disk: it reads only from the page cache.
///
/// Returns the number of bytes read, fewer than requested at the end of the file or if the rest is not in the page
/// cache; or -1.
ptrdiff_t clt_read_cached(int file, void *buffer, size_t size, int64_t offset);

/// `syncfs`.
int clt_sync_file_system(int file);
#endif

#endif
