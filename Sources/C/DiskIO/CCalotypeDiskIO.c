#define _GNU_SOURCE
#include "CCalotypeDiskIO.h"

#include <errno.h>

#ifdef __linux__
#include <sys/statfs.h>
#include <sys/uio.h>

ptrdiff_t calotype_read_cached(int file, void *buffer, size_t size, int64_t offset) {
    struct iovec part = {buffer, size};
    return preadv2(file, &part, 1, (off_t)offset, RWF_NOWAIT);
}

bool calotype_is_in_memory(int file) {
    struct statfs info;
    // TMPFS_MAGIC in linux/magic.h, which not every distribution installs.
    return fstatfs(file, &info) == 0 && info.f_type == 0x01021994;
}

#else

ptrdiff_t calotype_read_cached(int file, void *buffer, size_t size, int64_t offset) {
    (void)file, (void)buffer, (void)size, (void)offset;
    errno = EOPNOTSUPP;
    return -1;
}

bool calotype_is_in_memory(int file) {
    (void)file;
    return false;
}

#endif
