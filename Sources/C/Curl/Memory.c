// strdup is POSIX, not C.
#define _POSIX_C_SOURCE 200809L
#include "CCalotypeCurl.h"

#ifdef __linux__
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Every piece is the system's own memory, so that whoever frees it may do so by whatever way.

enum {
    most_kept = 32,
    /// Room that a kept piece may have beyond what is asked for.
    most_waste = 64,
    /// Larger ones are no small pieces for glibc, which has a quick way to those that calloc does not take before 2.41.
    small = 1032,
    largest_spare = 4096,
};

struct kept {
    size_t size;
    size_t count;
    void *pieces[most_kept];
    /// One that is not small: for every transfer libcurl describes a connection, and gives that up where it finds one.
    void *spare;
    size_t spare_size;
};

static _Thread_local struct kept *kept;

static bool fits(size_t size, size_t wanted) { return size >= wanted && size - wanted < most_waste; }

void *calotype_curl_take(size_t size) {
    struct kept *own = kept;
    if (own != NULL && size == own->size && own->count > 0) return own->pieces[--own->count];
    return malloc(size);
}

// Otherwise the compiler would make calloc of it.
__attribute__((no_builtin)) void *calotype_curl_take_zeroed(size_t count, size_t size) {
    struct kept *own = kept;
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return NULL;
    if (own == NULL) return calloc(count, size);
    void *piece;
    if (total <= small) {
        piece = malloc(total);
    } else if (own->spare != NULL && fits(own->spare_size, total)) {
        piece = own->spare;
        own->spare = NULL;
    } else {
        return calloc(count, size);
    }
    return piece != NULL ? memset(piece, 0, total) : NULL;
}

void calotype_curl_give(void *piece) {
    if (piece == NULL) return;
    struct kept *own = kept;
    size_t size = own != NULL ? malloc_usable_size(piece) : 0;
    if (size <= small) return free(piece);
    if (fits(size, own->size) && own->count < most_kept) {
        own->pieces[own->count++] = piece;
    } else if (size <= largest_spare) {
        free(own->spare);
        own->spare = piece;
        own->spare_size = size;
    } else {
        free(piece);
    }
}

CURLcode calotype_curl_start_memory(long flags) {
    return curl_global_init_mem(
        flags, calotype_curl_take, calotype_curl_give, realloc, strdup, calotype_curl_take_zeroed);
}

void calotype_curl_keep_memory(size_t size) {
    if (kept == NULL) kept = calloc(1, sizeof *kept);
    if (kept != NULL) kept->size = size;
}

bool calotype_curl_has_kept_memory(void) { return kept != NULL && (kept->count > 0 || kept->spare != NULL); }

static atomic_size_t times_freed;

void calotype_curl_free_kept_memory(void) {
    if (!calotype_curl_has_kept_memory()) return;
    while (kept->count > 0) free(kept->pieces[--kept->count]);
    free(kept->spare);
    kept->spare = NULL;
    (void)atomic_fetch_add(&times_freed, 1);
}

size_t calotype_curl_times_freed(void) { return atomic_load(&times_freed); }

void calotype_curl_keep_no_memory(void) {
    calotype_curl_free_kept_memory();
    free(kept);
    kept = NULL;
}
#else
CURLcode calotype_curl_start_memory(long flags) { return curl_global_init(flags); }
void calotype_curl_keep_memory(size_t size) { (void)size; }
bool calotype_curl_has_kept_memory(void) { return false; }
void calotype_curl_free_kept_memory(void) {}
size_t calotype_curl_times_freed(void) { return 0; }
void calotype_curl_keep_no_memory(void) {}
#endif
