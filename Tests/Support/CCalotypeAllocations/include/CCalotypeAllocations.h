#pragma once
#include <stdbool.h>
#include <stddef.h>

// Counts allocations, for tests. Linked into a program, it stands before the C library's own allocator.

/// Whether allocations are counted here: with glibc, and no sanitizer that stands there itself.
bool clt_counts_allocations(void);

/// How often the calling thread has asked for memory so far.
size_t clt_allocations(void);
