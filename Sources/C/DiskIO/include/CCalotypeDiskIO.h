/// What the disk cache needs of the system and Swift's own modules do not show.
#ifndef CCALOTYPE_DISK_IO_H
#define CCALOTYPE_DISK_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Reads `head_size` bytes at `offset` into `head` and the `body_size` bytes after them into `body`, in one call that
/// never waits for a disk: only what the system has in memory already.
///
/// Returns the number of bytes read, fewer than asked for at the end of the file or where the rest is not in memory; or
/// -1 with `errno`, which is `EAGAIN` or `EOPNOTSUPP` where the read would wait or the system cannot tell.
ptrdiff_t calotype_read_cached(int file, void *head, size_t head_size, void *body, size_t body_size, int64_t offset);

/// Whether the file lies in memory (tmpfs), so that no read of it waits.
bool calotype_is_in_memory(int file);

#endif
