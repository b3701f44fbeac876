#pragma once
#include <stddef.h>

// What a program holds of its allocator, for benchmarks and for tests that memory stays flat: resident memory alone cannot
// tell what is leaked from what the allocator keeps for later.

/// Bytes that are allocated at this moment, of all threads; 0 where the system does not tell.
size_t calotype_heap_bytes(void);

/// Gives back to the system what the allocator keeps for later, where it can be asked to.
void calotype_heap_trim(void);
