#pragma once
#include "CCalotypeKernels.h"
#include <string.h>

// CLT_KERNEL(name, (parameters), (arguments)) defines the public function `name`, which calls the always-inline `name_body`
// compiled for the instruction set of its level: the target attribute of each wrapper selects the instructions.

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
