/// A lock for some tens of nanoseconds of work, four bytes large, zero when it is free.
///
/// The system's own where it has one of that kind (Apple's unfair lock, which knows priorities). Elsewhere a word that is
/// taken by one atomic exchange and given back by a store; `Mutex` asks for the thread's number besides, and gives back
/// by an exchange too. Who finds it taken looks again for a moment and then sleeps in
/// short pieces, so that a holder whose thread was stopped gets on, whatever its priority is.
#ifndef CCALOTYPE_LOCK_H
#define CCALOTYPE_LOCK_H

#include <stdint.h>

#ifdef __APPLE__
#include <os/lock.h>

static inline void calotype_lock(uint32_t *lock) { os_unfair_lock_lock((os_unfair_lock_t)(void *)lock); }
static inline void calotype_unlock(uint32_t *lock) { os_unfair_lock_unlock((os_unfair_lock_t)(void *)lock); }

#else

void calotype_lock_slowly(uint32_t *lock);

static inline void calotype_lock(uint32_t *lock) {
    if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) calotype_lock_slowly(lock);
}

static inline void calotype_unlock(uint32_t *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

#endif

#endif
