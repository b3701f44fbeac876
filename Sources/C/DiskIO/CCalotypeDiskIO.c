#define _GNU_SOURCE
#include "CCalotypeDiskIO.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

const int clt_no_access_time = O_NOATIME;

ptrdiff_t clt_read_cached(int file, void *buffer, size_t size, int64_t offset) {
    struct iovec part = {buffer, size};
    ptrdiff_t count = preadv2(file, &part, 1, (off_t)offset, RWF_NOWAIT);
    if (count >= 0 || errno != EOPNOTSUPP) return count;
    struct statfs info;
    // A tmpfs supports no RWF_NOWAIT and never waits. TMPFS_MAGIC in linux/magic.h, which not every distribution
    // installs.
    if (fstatfs(file, &info) != 0 || info.f_type != 0x01021994) return -1;
    return pread(file, buffer, size, (off_t)offset);
}

int clt_sync_file_system(int file) { return syncfs(file); }
#endif
