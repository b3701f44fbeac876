#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Each function decodes a file in memory to 8-bit RGBA with the codec's own library, and discards the pixels: into
// memory of malloc, or into new memory of the system. Returns whether it succeeded.
bool bench_decode_jpeg(const uint8_t *bytes, size_t count, bool uses_new_memory);
bool bench_decode_png(const uint8_t *bytes, size_t count, bool uses_new_memory);
bool bench_decode_webp(const uint8_t *bytes, size_t count, bool uses_new_memory);
bool bench_decode_avif(const uint8_t *bytes, size_t count, bool uses_new_memory);

/// The bytes that all threads have allocated now; 0 if the system does not report them.
size_t bench_heap_bytes(void);

/// The number of processors that this process may use, as restricted by `taskset`.
int bench_usable_processors(void);
