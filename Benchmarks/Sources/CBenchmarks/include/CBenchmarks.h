#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Each decodes a file in memory to 8-bit RGBA by the codec's own library, and drops the pixels. Returns whether it could.
bool bench_decode_jpeg(const uint8_t *bytes, size_t count);
bool bench_decode_png(const uint8_t *bytes, size_t count);
bool bench_decode_webp(const uint8_t *bytes, size_t count);
bool bench_decode_avif(const uint8_t *bytes, size_t count);

/// Bytes that are allocated at this moment, of all threads; 0 where the system does not say.
size_t bench_heap_bytes(void);

/// The processors that this process may use: those that `taskset` left it, where the system has such a thing.
int bench_usable_processors(void);
