#pragma once
#include <stddef.h>

/// Has libraries that write to the C library's `stderr`, as dav1d does about damaged AV1 data, write nowhere. For programs that
/// write to the descriptor of standard error themselves, and say more about the failure than the library does.
void calotype_silence_libraries(void);

// What a program holds of its allocator, for benchmarks, for tests that memory stays flat, and for commands that load many files:
// resident memory alone cannot tell what is leaked from what the allocator keeps for later.

/// Bytes that are allocated at this moment, of all threads; 0 where the system does not tell.
size_t calotype_heap_bytes(void);

/// Gives back to the system what the allocator keeps for later, where it can be asked to.
void calotype_heap_trim(void);

/// Makes the allocator give each block of 256 KB or more back to the system as soon as it is freed, where it would otherwise keep
/// some: bitmaps of many sizes, freed by many threads, leave gaps that grow with the number of images. Costs the time of clearing
/// new pages.
void calotype_heap_return_large_blocks(void);
