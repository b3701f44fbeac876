/// What threads that only read a memory cache leave behind: the order of their uses, and a sample of them.
///
/// All of it is atomic and relaxed: a race loses a sample or gives two uses the same stamp, nothing else; the counts are
/// exact. Written in C because Swift's atomics are missing on the oldest Apple systems supported.
#ifndef CCALOTYPE_ACCESSES_H
#define CCALOTYPE_ACCESSES_H

#include <stdint.h>

enum { CALOTYPE_STRIPES = 16, CALOTYPE_SAMPLES = 252 };

/// What the threads of one stripe share: counts, a clock, and the sampled hashes that they used last: as many as there may be
/// hits in a row before the next insert looks at them; what is dropped misleads.
struct calotype_stripe {
    int64_t hits;
    int64_t misses;
    uint64_t clock;
    uint64_t count;
    uint64_t samples[CALOTYPE_SAMPLES];
};

/// To be placed at a multiple of 128 bytes.
struct calotype_accesses {
    struct calotype_stripe stripes[CALOTYPE_STRIPES];
    /// No stripe's clock is far behind this one.
    uint64_t floor;
    uint64_t padding[15];
    /// A hash is part of the sample where none of these bits is set in its bits from 40 on; all set before there is one.
    uint64_t mask;
};

/// The stripe of the calling thread, 0 to `CALOTYPE_STRIPES - 1`. Threads take them in turn, so that those which begin
/// together never share one.
uint32_t calotype_stripe_number(void);

/// A stamp later than all that this thread was given, and than most of others'.
static inline uint64_t calotype_tick(struct calotype_accesses *accesses, struct calotype_stripe *stripe) {
    uint64_t own = __atomic_load_n(&stripe->clock, __ATOMIC_RELAXED);
    uint64_t floor = __atomic_load_n(&accesses->floor, __ATOMIC_RELAXED);
    uint64_t now = (own > floor ? own : floor) + 1;
    __atomic_store_n(&stripe->clock, now, __ATOMIC_RELAXED);
    return now;
}

/// The stamp of a use by the calling thread. Threads that only read learn of each other's clocks now and then.
static inline uint64_t calotype_note_use(struct calotype_accesses *accesses, uint64_t hash) {
    struct calotype_stripe *stripe = &accesses->stripes[calotype_stripe_number()];
    __atomic_fetch_add(&stripe->hits, 1, __ATOMIC_RELAXED);
    uint64_t now = calotype_tick(accesses, stripe);
    if ((now & 31) == 0) __atomic_store_n(&accesses->floor, now, __ATOMIC_RELAXED);
    if ((hash >> 40 & __atomic_load_n(&accesses->mask, __ATOMIC_RELAXED)) == 0) {
        uint64_t count = __atomic_load_n(&stripe->count, __ATOMIC_RELAXED);
        __atomic_store_n(&stripe->samples[count % CALOTYPE_SAMPLES], hash, __ATOMIC_RELAXED);
        __atomic_store_n(&stripe->count, count + 1, __ATOMIC_RELAXED);
    }
    return now;
}

static inline void calotype_note_miss(struct calotype_accesses *accesses) {
    __atomic_fetch_add(&accesses->stripes[calotype_stripe_number()].misses, 1, __ATOMIC_RELAXED);
}

/// Makes a miss of what was counted as a hit.
static inline void calotype_take_hit_back(struct calotype_accesses *accesses) {
    __atomic_fetch_sub(&accesses->stripes[calotype_stripe_number()].hits, 1, __ATOMIC_RELAXED);
    calotype_note_miss(accesses);
}

static inline int64_t calotype_hits(const struct calotype_accesses *accesses, uint32_t stripe) {
    return __atomic_load_n(&accesses->stripes[stripe].hits, __ATOMIC_RELAXED);
}

static inline int64_t calotype_misses(const struct calotype_accesses *accesses, uint32_t stripe) {
    return __atomic_load_n(&accesses->stripes[stripe].misses, __ATOMIC_RELAXED);
}

/// The stamp of an insert: all later uses have greater ones.
static inline uint64_t calotype_note_insert(struct calotype_accesses *accesses) {
    uint64_t now = calotype_tick(accesses, &accesses->stripes[calotype_stripe_number()]);
    __atomic_store_n(&accesses->floor, now, __ATOMIC_RELAXED);
    return now;
}

static inline void calotype_set_mask(struct calotype_accesses *accesses, uint64_t mask) {
    __atomic_store_n(&accesses->mask, mask, __ATOMIC_RELAXED);
}

/// How many samples a stripe has seen so far; the last `CALOTYPE_SAMPLES` of them are there.
static inline uint64_t calotype_sample_count(const struct calotype_accesses *accesses, uint32_t stripe) {
    return __atomic_load_n(&accesses->stripes[stripe].count, __ATOMIC_RELAXED);
}

static inline int64_t calotype_sample(const struct calotype_accesses *accesses, uint32_t stripe, uint64_t number) {
    return (int64_t)__atomic_load_n(&accesses->stripes[stripe].samples[number % CALOTYPE_SAMPLES], __ATOMIC_RELAXED);
}

#endif
