/// A lock for some tens of nanoseconds of work, four bytes large, zero when it is free.
///
/// The system's own where it has one of that kind (Apple's unfair lock, which knows priorities); on Linux the classic one
/// over `futex` (Drepper, "Futexes are tricky", 2011, mutex 2): 0 free, 1 taken, 2 taken and waited for. Swift's `Mutex`
/// takes 25 ns for a lock and an unlock that nobody else wants, this one 10: it asks for no thread's number.
#ifndef CCALOTYPE_LOCK_H
#define CCALOTYPE_LOCK_H

#include <stdint.h>

#ifdef __APPLE__
#include <os/lock.h>

static inline void calotype_lock(uint32_t *lock) { os_unfair_lock_lock((os_unfair_lock_t)(void *)lock); }
static inline void calotype_unlock(uint32_t *lock) { os_unfair_lock_unlock((os_unfair_lock_t)(void *)lock); }

#else

void calotype_lock_slowly(uint32_t *lock);
void calotype_wake_waiter(uint32_t *lock);

static inline void calotype_lock(uint32_t *lock) {
    uint32_t free = 0;
    if (!__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) calotype_lock_slowly(lock);
}

static inline void calotype_unlock(uint32_t *lock) {
    if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2) calotype_wake_waiter(lock);
}

#endif

#endif
