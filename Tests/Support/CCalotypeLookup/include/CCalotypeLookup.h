#pragma once
#include <stdbool.h>

// Holds name lookups, for tests. When it is linked into a program, it replaces the C library's getaddrinfo.

/// Whether lookups can be held: only with glibc.
bool clt_holds_lookups(void);

/// From now on each lookup of `name` waits until the test releases it, and then returns 127.0.0.1. `begins` is called
/// with `context` on the thread of the lookup before it waits. Returns false if too many names are held.
bool clt_hold_lookup(const char *name, void (*begins)(void *context), void *context);
/// Releases lookups of `name`, and removes the name when the waiting one has ended. `begins` is not called from now on.
void clt_answer_lookup(const char *name);
