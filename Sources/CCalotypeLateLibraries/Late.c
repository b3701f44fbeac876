#include "CCalotypeLateLibraries.h"

#ifdef __linux__
#include "Late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *clt_late_function(const char *library, const char *name) {
    // A library that is loaded already is only found again.
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    void *function = handle ? dlsym(handle, name) : NULL;
    if (function) return function;
    const char *reason = dlerror();
    fprintf(stderr, "calotype: %s\n", reason ? reason : library);
    exit(127);
}
#endif
