#pragma once
#include <stddef.h>

// The state of the allocator, for tests of memory growth: resident memory alone does not show whether memory is leaked
// or kept for reuse.

/// Bytes that all threads have allocated; 0 if the system does not provide the number.
size_t clt_heap_bytes(void);

/// Returns memory that the allocator keeps for reuse to the system, if the allocator supports that.
void clt_heap_trim(void);
