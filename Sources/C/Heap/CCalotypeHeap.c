#include "CCalotypeHeap.h"

// Any header of the C library defines the macro that identifies it.
#include <stdio.h>

#if defined(__GLIBC__)

#include <malloc.h>

// A threshold that was set explicitly no longer grows with freed blocks, see mallopt(3).
void clt_return_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 * 1024); }

void clt_silence_libraries(void) {
    FILE *nowhere = fopen("/dev/null", "we");
    if (nowhere != NULL) stderr = nowhere;
}

#else

void clt_return_large_blocks(void) {}
void clt_silence_libraries(void) {}

#endif
