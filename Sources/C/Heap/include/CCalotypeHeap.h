#pragma once
#include <stddef.h>

/// Redirects the C library's `stderr` to /dev/null, since libraries write there; dav1d, for example, about damaged AV1 data. For
/// programs that write to the descriptor of standard error themselves and report each failure.
void calotype_silence_libraries(void);

// The state of the allocator, for benchmarks, for tests of memory growth and for commands that load many files: resident memory
// alone does not show whether memory is leaked or kept for reuse.

/// Bytes that all threads have allocated; 0 if the system does not provide the number.
size_t calotype_heap_bytes(void);

/// Returns memory that the allocator keeps for reuse to the system, if the allocator supports that.
void calotype_heap_trim(void);

/// Makes the allocator return each block of 256 KB or more to the system as soon as it is freed. Otherwise bitmaps of many sizes,
/// freed by many threads, fragment the heap, which then grows with the number of images. Costs the time to clear new pages.
void calotype_heap_return_large_blocks(void);
