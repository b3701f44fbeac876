/// The entries of a memory cache, found by key: many threads look up at once, each entry has a lock of its own, and one
/// thread at a time adds and removes.
///
/// Where another thread wrote last, a line of the processor's cache is fetched once, ready to be written: what comes first to
/// an entry is the lock. Written in C because Swift's atomics are missing
/// on the oldest Apple systems supported.
#ifndef CCALOTYPE_IMAGE_INDEX_H
#define CCALOTYPE_IMAGE_INDEX_H

#include "CCalotypeAccesses.h"

#include <stdbool.h>
#include <stdint.h>

enum { CALOTYPE_IMAGE_BYTES = 64, CALOTYPE_MAX_USES = 3, CALOTYPE_VARIANT_SPREAD = 64 };

/// What identifies an image.
struct calotype_image_key {
    /// Says where it is looked for. The lower half is the same for all images of one resource, so they lie close together.
    uint64_t hash;
    uint64_t check;
};

/// An entry: two lines of the processor's cache. All but the lock is only touched by who holds it, and what identifies it
/// changes only by who may change the index.
struct calotype_slot {
    /// 0 free, 1 held, 2 held and waited for.
    uint32_t lock;
    /// Since the eviction order last asked, up to `CALOTYPE_MAX_USES`.
    uint8_t uses;
    bool is_occupied;
    /// As who looks after the entries calls it.
    uint8_t priority;
    struct calotype_image_key key;
    /// Of the last use.
    uint64_t stamp;
    /// Seconds of the clock of who looks after the entries.
    double expires;
    /// Of that one too.
    uint64_t image[CALOTYPE_IMAGE_BYTES / 8];
    uint64_t padding[3];
};

/// Entries by their numbers, 0 and up, and by key.
struct calotype_image_index;

/// An empty index. Ends the process where there is no memory, here and in all that follows, as Swift does.
struct calotype_image_index *calotype_index_create(void);
/// Frees the memory, but nothing that the images hold.
void calotype_index_destroy(struct calotype_image_index *index);

/// What a lookup found.
struct calotype_lookup {
    /// Its lock is held; null where the key has no entry.
    struct calotype_slot *slot;
    /// False where others change the index so much that a key that is there may have been missed: to be asked with
    /// `calotype_index_find` by a thread that may change it. Nothing is counted then.
    bool is_certain;
};

/// Looks a key up, and counts a use or a miss, unless `accesses` is null.
struct calotype_lookup calotype_index_take(
    struct calotype_image_index *index, struct calotype_image_key key, struct calotype_accesses *accesses);

static inline void *calotype_slot_image(struct calotype_slot *slot) { return slot->image; }

void calotype_slot_lock(struct calotype_slot *slot);
void calotype_slot_unlock(struct calotype_slot *slot);

/// Counts a use of an entry whose lock is held.
static inline void calotype_slot_use(struct calotype_slot *slot, struct calotype_accesses *accesses) {
    if (slot->uses < CALOTYPE_MAX_USES) slot->uses++;
    slot->stamp = calotype_note_use(accesses, slot->key.hash);
}

// What follows is for the one thread that may change the index.

/// An entry by its number.
struct calotype_slot *calotype_index_slot(struct calotype_image_index *index, int32_t number);
/// The number of a key's entry, or -1.
int32_t calotype_index_find(struct calotype_image_index *index, struct calotype_image_key key);
/// Lets an entry be found whose slot is filled. No other may have its key.
void calotype_index_link(struct calotype_image_index *index, int32_t number);
/// Lets an entry no longer be found; its slot still has its key. A thread that found it before may still come for its lock.
void calotype_index_unlink(struct calotype_image_index *index, int32_t number);
/// The numbers of entries by the lower half of their hashes, that of a resource; returns how many, at most `limit`.
int32_t calotype_index_variants(struct calotype_image_index *index, uint32_t resource, int32_t *numbers, int32_t limit);

#endif
