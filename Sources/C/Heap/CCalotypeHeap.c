#include "CCalotypeHeap.h"

// Any header of the C library defines the macro that identifies it.
#include <stdlib.h>

#if defined(__APPLE__)

#include <malloc/malloc.h>

size_t calotype_heap_bytes(void) { return mstats().bytes_used; }
void calotype_heap_trim(void) { malloc_zone_pressure_relief(NULL, 0); }
void calotype_heap_return_large_blocks(void) {}
void calotype_silence_libraries(void) {}

#elif defined(__GLIBC__)

#include <malloc.h>
#include <stdio.h>

size_t calotype_heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void calotype_heap_trim(void) { malloc_trim(0); }

// A threshold that was set explicitly no longer grows with freed blocks, see mallopt(3).
void calotype_heap_return_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 * 1024); }

void calotype_silence_libraries(void) {
    FILE *nowhere = fopen("/dev/null", "we");
    if (nowhere != NULL) stderr = nowhere;
}

#else

size_t calotype_heap_bytes(void) { return 0; }
void calotype_heap_trim(void) {}
void calotype_heap_return_large_blocks(void) {}
void calotype_silence_libraries(void) {}

#endif
