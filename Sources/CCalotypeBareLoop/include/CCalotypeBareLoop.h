#pragma once
#include <stddef.h>

/// The least that a client of libcurl can do, to measure others beside it: fetches `url` `count` times, `connections` at a
/// time, on the calling thread, each body into memory of its connection's. With `threads`, it hands each body to one of so many
/// threads of its own, which say when the connection may go on, as whoever computes on other threads than it fetches must.
/// `first_bytes` gets, in microseconds, when the first byte of each came after its start; `body` is how many bytes each must
/// have. Returns how many did not come as they should.
size_t calotype_bare_loop(
    const char *url, size_t count, size_t connections, size_t threads, size_t body, double *first_bytes);
