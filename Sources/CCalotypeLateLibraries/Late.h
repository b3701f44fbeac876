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

/// Defines what stands in for a library's function, and calls that: under its name for this program, and unseen by other
/// libraries, which keep the one that they are linked to.
#define LATE(library, result, name, parameters, arguments)                                                                    \
    __attribute__((visibility("hidden"))) result late_##name parameters __asm__(#name);                                       \
    result late_##name parameters {                                                                                           \
        LATE_FUNCTION(library, name)                                                                                          \
        return function arguments;                                                                                            \
    }

/// The same by the types of up to nine parameters.
#define LATE_BY_TYPES(library, result, ...)                                                                                   \
    LATE_CHOICE(__VA_ARGS__, LATE_9, LATE_8, LATE_7, LATE_6, LATE_5, LATE_4, LATE_3, LATE_2, LATE_1, LATE_0)                  \
    (library, result, __VA_ARGS__)
#define LATE_CHOICE(name, a, b, c, d, e, f, g, h, i, choice, ...) choice
#define LATE_0(library, result, name) LATE(library, result, name, (void), ())
#define LATE_1(library, result, name, A) LATE(library, result, name, (A a), (a))
#define LATE_2(library, result, name, A, B) LATE(library, result, name, (A a, B b), (a, b))
#define LATE_3(library, result, name, A, B, C) LATE(library, result, name, (A a, B b, C c), (a, b, c))
#define LATE_4(library, result, name, A, B, C, D) LATE(library, result, name, (A a, B b, C c, D d), (a, b, c, d))
#define LATE_5(library, result, name, A, B, C, D, E) LATE(library, result, name, (A a, B b, C c, D d, E e), (a, b, c, d, e))
#define LATE_6(library, result, name, A, B, C, D, E, F)                                                                       \
    LATE(library, result, name, (A a, B b, C c, D d, E e, F f), (a, b, c, d, e, f))
#define LATE_7(library, result, name, A, B, C, D, E, F, G)                                                                    \
    LATE(library, result, name, (A a, B b, C c, D d, E e, F f, G g), (a, b, c, d, e, f, g))
#define LATE_8(library, result, name, A, B, C, D, E, F, G, H)                                                                 \
    LATE(library, result, name, (A a, B b, C c, D d, E e, F f, G g, H h), (a, b, c, d, e, f, g, h))
#define LATE_9(library, result, name, A, B, C, D, E, F, G, H, I)                                                              \
    LATE(library, result, name, (A a, B b, C c, D d, E e, F f, G g, H h, I i), (a, b, c, d, e, f, g, h, i))
