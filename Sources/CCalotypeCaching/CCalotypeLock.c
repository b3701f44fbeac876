#define _POSIX_C_SOURCE 200809L
#include "CCalotypeLock.h"

#ifndef __APPLE__
#include <time.h>

void calotype_lock_slowly(uint32_t *lock) {
    for (int round = 0;; round++) {
        // Only looking, until there is something to take: an exchange would draw the line away from the holder.
        if (__atomic_load_n(lock, __ATOMIC_RELAXED) == 0 && __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) == 0) return;
        if (round < 128) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            __asm__ volatile("yield");
#endif
        } else {
            const struct timespec pause = {0, 50000};
            nanosleep(&pause, (struct timespec *)0);
        }
    }
}
#endif
