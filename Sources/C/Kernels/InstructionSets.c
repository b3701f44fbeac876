#include "CCalotypeKernels.h"

bool clt_supports(clt_level level) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    switch (level) {
    case CLT_BASELINE: return true;
    case CLT_AVX2: return avx2;
    case CLT_AVX512:
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    }
    return false;
#else
    return level == CLT_BASELINE;
#endif
}
