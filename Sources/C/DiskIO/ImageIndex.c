#define _GNU_SOURCE
#include "CCalotypeImageIndex.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#include <os/lock.h>
#else
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Static_assert(sizeof(struct calotype_slot) == 128, "a slot is two lines of the processor's cache");

// Stripes.

uint32_t calotype_stripe_number(void) {
    static uint32_t threads;
    /// Counted from 1; 0 before the thread has one.
    static _Thread_local uint32_t number;
    if (number == 0) number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % CALOTYPE_STRIPES + 1;
    return number - 1;
}

// Locks.

#ifdef __APPLE__

_Static_assert(sizeof(os_unfair_lock) == sizeof(uint32_t), "the lock fits its place");

void calotype_slot_lock(struct calotype_slot *slot) { os_unfair_lock_lock((os_unfair_lock_t)(void *)&slot->lock); }

void calotype_slot_unlock(struct calotype_slot *slot) { os_unfair_lock_unlock((os_unfair_lock_t)(void *)&slot->lock); }

#else

/// Looks at the lock before a thread sleeps: what is done under it takes a few nanoseconds.
enum { SPINS = 64 };

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

// The lock with three states of Drepper, "Futexes are tricky", 2011.
static void wait_for_lock(struct calotype_slot *slot) {
    for (int spin = 0; spin < SPINS; spin++) {
        uint32_t free = 0;
        if (__atomic_load_n(&slot->lock, __ATOMIC_RELAXED) == 0
            && __atomic_compare_exchange_n(&slot->lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
        pause_briefly();
    }
    while (__atomic_exchange_n(&slot->lock, 2, __ATOMIC_ACQUIRE) != 0) {
        syscall(SYS_futex, &slot->lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    }
}

void calotype_slot_lock(struct calotype_slot *slot) {
    uint32_t free = 0;
    if (!__atomic_compare_exchange_n(&slot->lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) wait_for_lock(slot);
}

void calotype_slot_unlock(struct calotype_slot *slot) {
    if (__atomic_exchange_n(&slot->lock, 0, __ATOMIC_RELEASE) == 2) {
        syscall(SYS_futex, &slot->lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

#endif

// Slots lie in blocks that never move, each twice as large as the one before: 64, 128, 256…

enum { FIRST_BLOCK = 64, BLOCKS = 25 };

/// Heads of chains. A link is 0, or a tag in its upper half and a number plus 1 in its lower half.
struct heads {
    uint64_t mask;
    /// Those before, smaller by half: threads may still look there.
    struct heads *older;
    uint64_t links[];
};

struct calotype_image_index {
    /// Odd while the index is changed.
    uint64_t version;
    struct heads *heads;
    uint64_t count;
    struct calotype_slot *blocks[BLOCKS];
};

static inline uint32_t block_of(int32_t number, uint32_t *place) {
    uint32_t shifted = (uint32_t)number + FIRST_BLOCK;
    uint32_t block = 31 - (uint32_t)__builtin_clz(shifted) - 6;
    *place = shifted - ((uint32_t)FIRST_BLOCK << block);
    return block;
}

static inline size_t block_length(uint32_t block) { return (size_t)FIRST_BLOCK << block; }

static inline struct calotype_slot *block_at(struct calotype_image_index *index, uint32_t block) {
    return __atomic_load_n(&index->blocks[block], __ATOMIC_ACQUIRE);
}

/// Where an entry links to the next of its chain: behind the slots of its block.
static inline uint64_t *link_of(struct calotype_image_index *index, int32_t number) {
    uint32_t place, block = block_of(number, &place);
    return (uint64_t *)(void *)(block_at(index, block) + block_length(block)) + place;
}

static inline struct calotype_slot *slot_of(struct calotype_image_index *index, int32_t number) {
    uint32_t place, block = block_of(number, &place);
    return block_at(index, block) + place;
}

struct calotype_slot *calotype_index_slot(struct calotype_image_index *index, int32_t number) {
    uint32_t place, block = block_of(number, &place);
    struct calotype_slot *slots = block_at(index, block);
    if (slots == NULL) {
        size_t size = block_length(block) * (sizeof(struct calotype_slot) + sizeof(uint64_t));
        void *memory = NULL;
        if (posix_memalign(&memory, 128, size) != 0) abort();
        slots = memset(memory, 0, size);
        __atomic_store_n(&index->blocks[block], slots, __ATOMIC_RELEASE);
    }
    return slots + place;
}

static inline int32_t number_in(uint64_t link) { return (int32_t)(uint32_t)link - 1; }

/// Half of it tells resources apart, the other half what was done to their pictures.
static inline uint32_t tag_of(uint64_t hash) { return ((uint32_t)hash & 0xffff0000) | (uint32_t)(hash >> 48); }

static inline uint64_t home_of(uint64_t hash, uint64_t mask) {
    return ((uint32_t)hash + (hash >> 32 & (CALOTYPE_VARIANT_SPREAD - 1))) & mask;
}

static inline uint64_t *head_of(struct heads *heads, uint64_t hash) { return &heads->links[home_of(hash, heads->mask)]; }

static inline uint64_t follow(const uint64_t *link) { return __atomic_load_n(link, __ATOMIC_ACQUIRE); }

static struct heads *make_heads(uint64_t length, struct heads *older) {
    struct heads *heads = calloc(1, sizeof(struct heads) + length * sizeof(uint64_t));
    if (heads == NULL) abort();
    heads->mask = length - 1;
    heads->older = older;
    return heads;
}

struct calotype_image_index *calotype_index_create(void) {
    struct calotype_image_index *index = calloc(1, sizeof(struct calotype_image_index));
    if (index == NULL) abort();
    index->heads = make_heads(FIRST_BLOCK, NULL);
    return index;
}

void calotype_index_destroy(struct calotype_image_index *index) {
    while (index->heads != NULL) {
        struct heads *older = index->heads->older;
        free(index->heads);
        index->heads = older;
    }
    for (uint32_t block = 0; block < BLOCKS; block++) free(index->blocks[block]);
    free(index);
}

static inline bool is_key(const struct calotype_slot *slot, struct calotype_image_key key) {
    return slot->key.hash == key.hash && slot->key.check == key.check;
}

// Looking up.

/// Asks for a line that is about to be written. One that another thread wrote last is fetched once then, not first to be
/// read and again to be written. x86-64's baseline has no instruction for it, but all of its processors take this one.
static inline void prefetch_to_write(const void *address) {
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
    __builtin_prefetch(address, 1);
#endif
}

/// A chain that others change meanwhile may lead into another one; no honest one is as long.
enum { LONGEST_WALK = 4096, TRIES = 16 };

struct calotype_lookup calotype_index_take(
    struct calotype_image_index *index, struct calotype_image_key key, struct calotype_accesses *accesses) {
    uint32_t tag = tag_of(key.hash);
    for (int try = 0; try < TRIES; try++) {
        uint64_t version = __atomic_load_n(&index->version, __ATOMIC_ACQUIRE);
        uint64_t link = follow(head_of(__atomic_load_n(&index->heads, __ATOMIC_ACQUIRE), key.hash));
        int steps = 0;
        for (; link != 0 && steps < LONGEST_WALK; steps++, link = follow(link_of(index, number_in(link)))) {
            if (link >> 32 != tag) continue;
            struct calotype_slot *slot = slot_of(index, number_in(link));
            // Taking a lock holds up the loads after it, so what comes next is asked for before.
            __builtin_prefetch((const char *)slot + sizeof(struct calotype_slot) / 2);
            calotype_slot_lock(slot);
            if (slot->is_occupied && is_key(slot, key)) {
                // The first word of an image refers to its pixels, whose references are about to be counted.
                prefetch_to_write((const void *)(uintptr_t)slot->image[0]);
                if (accesses != NULL) calotype_slot_use(slot, accesses);
                return (struct calotype_lookup){slot, true};
            }
            calotype_slot_unlock(slot);
        }
        if (link == 0 && (version & 1) == 0 && __atomic_load_n(&index->version, __ATOMIC_ACQUIRE) == version) {
            if (accesses != NULL) calotype_note_miss(accesses);
            return (struct calotype_lookup){NULL, true};
        }
    }
    return (struct calotype_lookup){NULL, false};
}

// Changing.

static inline void begin_change(struct calotype_image_index *index) {
    __atomic_store_n(&index->version, index->version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void end_change(struct calotype_image_index *index) {
    __atomic_store_n(&index->version, index->version + 1, __ATOMIC_RELEASE);
}

static inline void set_link(uint64_t *link, uint64_t value) { __atomic_store_n(link, value, __ATOMIC_RELEASE); }

/// Puts an entry first in the chain of its hash.
static void put(struct calotype_image_index *index, struct heads *heads, int32_t number, uint64_t hash) {
    uint64_t *head = head_of(heads, hash);
    set_link(link_of(index, number), *head);
    set_link(head, (uint64_t)tag_of(hash) << 32 | ((uint32_t)number + 1));
}

/// Twice as many chains.
static void grow(struct calotype_image_index *index) {
    struct heads *old = index->heads;
    struct heads *heads = make_heads(2 * (old->mask + 1), old);
    for (uint64_t chain = 0; chain <= old->mask; chain++) {
        for (uint64_t link = old->links[chain]; link != 0;) {
            int32_t number = number_in(link);
            link = *link_of(index, number);
            put(index, heads, number, slot_of(index, number)->key.hash);
        }
    }
    __atomic_store_n(&index->heads, heads, __ATOMIC_RELEASE);
}

void calotype_index_link(struct calotype_image_index *index, int32_t number) {
    begin_change(index);
    if (4 * ++index->count > 3 * (index->heads->mask + 1)) grow(index);
    put(index, index->heads, number, slot_of(index, number)->key.hash);
    end_change(index);
}

void calotype_index_unlink(struct calotype_image_index *index, int32_t number) {
    begin_change(index);
    index->count--;
    uint64_t *link = head_of(index->heads, slot_of(index, number)->key.hash);
    while (number_in(*link) != number) link = link_of(index, number_in(*link));
    set_link(link, *link_of(index, number));
    end_change(index);
}

int32_t calotype_index_find(struct calotype_image_index *index, struct calotype_image_key key) {
    uint64_t link = *head_of(index->heads, key.hash);
    for (; link != 0; link = *link_of(index, number_in(link))) {
        // Without the lock: only this thread changes keys.
        if (link >> 32 == tag_of(key.hash) && is_key(slot_of(index, number_in(link)), key)) return number_in(link);
    }
    return -1;
}

int32_t calotype_index_variants(struct calotype_image_index *index, uint32_t resource, int32_t *numbers, int32_t limit) {
    struct heads *heads = index->heads;
    uint64_t chains = heads->mask < CALOTYPE_VARIANT_SPREAD ? heads->mask + 1 : CALOTYPE_VARIANT_SPREAD;
    int32_t count = 0;
    for (uint64_t chain = 0; chain < chains; chain++) {
        uint64_t link = heads->links[(resource + chain) & heads->mask];
        for (; link != 0 && count < limit; link = *link_of(index, number_in(link))) {
            if (link >> 48 != resource >> 16) continue;
            if ((uint32_t)slot_of(index, number_in(link))->key.hash == resource) numbers[count++] = number_in(link);
        }
    }
    return count;
}
