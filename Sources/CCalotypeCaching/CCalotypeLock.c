#define _GNU_SOURCE
#include "CCalotypeLock.h"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void calotype_lock_slowly(uint32_t *lock) {
    // Whoever has the lock gives it back within the time that falling asleep takes, unless its thread was stopped.
    for (int round = 0; round < 64; round++) {
        uint32_t free = 0;
        if (__atomic_load_n(lock, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0) {
        syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, (void *)0, (void *)0, 0);
    }
}

void calotype_wake_waiter(uint32_t *lock) { syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0); }

#elif !defined(__APPLE__)
#include <sched.h>

void calotype_lock_slowly(uint32_t *lock) {
    uint32_t free = 0;
    while (!__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        free = 0;
        sched_yield();
    }
}

void calotype_wake_waiter(uint32_t *lock) { (void)lock; }
#endif
