#pragma once
#include "CCalotypeKernels.h"
#include <string.h>

// CLT_KERNEL(name, (parameters), (arguments)) defines the public function `name`, which calls the always-inline
// `name_body` compiled for the instruction set of its level: the target attribute of each wrapper selects the
// instructions. CLT_SAMPLE_KERNEL defines a function that calls `name_u8` or `name_u16`, as its second argument says.

#define CLT_BODY static inline __attribute__((always_inline)) void
#define CLT_LIST(...) __VA_ARGS__

#if defined(__x86_64__)
#define CLT_KERNEL(name, parameters, arguments) \
    __attribute__((target("avx2,fma"))) static void name##_avx2(CLT_LIST parameters) { name##_body arguments; } \
    __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl"))) static void name##_avx512(CLT_LIST parameters) { \
        name##_body arguments; \
    } \
    void name(clt_level level, CLT_LIST parameters) { \
        switch (level) { \
        case CLT_AVX512: name##_avx512 arguments; return; \
        case CLT_AVX2: name##_avx2 arguments; return; \
        default: name##_body arguments; return; \
        } \
    }
#else
#define CLT_KERNEL(name, parameters, arguments) \
    void name(clt_level level, CLT_LIST parameters) { \
        (void)level; \
        name##_body arguments; \
    }
#endif

#define CLT_SAMPLE_KERNEL(name, parameters, arguments) \
    CLT_BODY name##_body(bool is_wide, CLT_LIST parameters) { \
        if (is_wide) name##_u16 arguments; \
        else name##_u8 arguments; \
    } \
    CLT_KERNEL(name, (bool is_wide, CLT_LIST parameters), (is_wide, CLT_LIST arguments))

typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef uint8_t u8x4 __attribute__((vector_size(4)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint16_t u16x4 __attribute__((vector_size(8)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));

// Repeats each of four numbers four times.
#define SPREAD(v) __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
// Adds the four quarters of sixteen numbers.
#define FOLD(v) \
    ((__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7)) + \
     (__builtin_shufflevector(v, v, 8, 9, 10, 11) + __builtin_shufflevector(v, v, 12, 13, 14, 15)))
