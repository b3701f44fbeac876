#pragma once

/// Redirects the C library's `stderr` to /dev/null, since libraries write there; dav1d, for example, about damaged AV1
/// data. For programs that write to the descriptor of standard error themselves and report each failure.
void clt_silence_libraries(void);

/// Makes the allocator return each block of 256 KB or more to the system as soon as it is freed. Otherwise bitmaps of
/// many sizes, freed by many threads, fragment the heap, which then grows with the number of images. Costs the time to
/// clear new pages.
void clt_return_large_blocks(void);
