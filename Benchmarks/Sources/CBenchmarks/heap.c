#include "CBenchmarks.h"

// A header of the C library defines the macros that identify it.
#include <stdlib.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>

size_t bench_heap_bytes(void) { return mstats().bytes_used; }
#elif defined(__GLIBC__)
#include <malloc.h>

size_t bench_heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
#else
size_t bench_heap_bytes(void) { return 0; }
#endif
