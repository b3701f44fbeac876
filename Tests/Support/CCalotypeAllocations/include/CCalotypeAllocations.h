#pragma once
#include <stdbool.h>
#include <stddef.h>

// Counts allocations, for tests. The functions replace the allocator of the C library in the program that links them.

/// Whether allocations are counted: with glibc and without a sanitizer, which replaces the allocator itself.
bool clt_counts_allocations(void);

/// The number of allocations of the calling thread so far.
size_t clt_allocations(void);
