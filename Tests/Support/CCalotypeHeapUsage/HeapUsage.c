#include "CCalotypeHeapUsage.h"

// Any header of the C library defines the macro that identifies it.
#include <stdlib.h>

#if defined(__APPLE__)

#include <malloc/malloc.h>

size_t clt_heap_bytes(void) { return mstats().bytes_used; }
void clt_heap_trim(void) { malloc_zone_pressure_relief(NULL, 0); }

#elif defined(__GLIBC__)

#include <malloc.h>

size_t clt_heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void clt_heap_trim(void) { malloc_trim(0); }

#else

size_t clt_heap_bytes(void) { return 0; }
void clt_heap_trim(void) {}

#endif
