#pragma once
#include <stdbool.h>

// Holds the lookup of a name, for tests. Linked into a program, it stands before the C library's getaddrinfo.

/// Whether lookups are held here: with glibc.
bool clt_holds_lookups(void);

/// From here on each lookup of `name` waits until the test has it answered: with 127.0.0.1. `begins` is called on its thread,
/// with `context`, before it waits. At most some at a time; false when there is no place left.
bool clt_hold_lookup(const char *name, void (*begins)(void *context), void *context);
/// Lets lookups of `name` go on, and forgets it once the one that waits is past. Nobody calls `begins` from here on.
void clt_answer_lookup(const char *name);
