#pragma once

/// A function of a shared library. Ends the process where it is missing, as the system's loader would have at the start.
void *clt_late_function(const char *library, const char *name);

/// The function that a variable remembers, looked up once.
#define LATE_FUNCTION(library, name)                                                                                          \
    static __typeof__(&name) known;                                                                                           \
    __typeof__(&name) function = __atomic_load_n(&known, __ATOMIC_RELAXED);                                                   \
    if (!function) {                                                                                                          \
        function = (__typeof__(&name))clt_late_function(library, #name);                                                      \
        __atomic_store_n(&known, function, __ATOMIC_RELAXED);                                                                 \
    }

/// Declares what stands in for a library's function: under its name for this program, and unseen by other libraries, which
/// keep the one that they are linked to.
#define LATE_DECLARATION(result, name, parameters)                                                                            \
    __attribute__((visibility("hidden"))) result late_##name parameters __asm__(#name);

/// Defines what stands in for a library's function, and calls that.
#define LATE(library, result, name, parameters, arguments)                                                                    \
    LATE_DECLARATION(result, name, parameters)                                                                                \
    result late_##name parameters {                                                                                           \
        LATE_FUNCTION(library, name)                                                                                          \
        return function arguments;                                                                                            \
    }
