// RTLD_NEXT needs this macro with glibc.
#define _GNU_SOURCE
#include "CCalotypeLookup.h"

// Any header of the C library defines the macro that identifies it.
#include <stdlib.h>

#if defined(__GLIBC__)

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>

enum { most_held = 8, longest_name = 64 };

struct held {
    char name[longest_name];
    void (*begins)(void *context);
    void *context;
    /// The number of waiting lookups.
    int waiting;
    bool isAnswered;
};

static struct held all[most_held];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;

static struct held *find(const char *name) {
    for (int i = 0; i < most_held; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    return NULL;
}

bool clt_holds_lookups(void) { return true; }

bool clt_hold_lookup(const char *name, void (*begins)(void *context), void *context) {
    pthread_mutex_lock(&lock);
    struct held *held = strlen(name) < longest_name ? find("") : NULL;
    if (held != NULL) {
        *held = (struct held){.begins = begins, .context = context};
        strcpy(held->name, name);
    }
    pthread_mutex_unlock(&lock);
    return held != NULL;
}

void clt_answer_lookup(const char *name) {
    pthread_mutex_lock(&lock);
    struct held *held = find(name);
    if (held != NULL) {
        held->isAnswered = true;
        if (held->waiting == 0) held->name[0] = '\0';
    }
    pthread_cond_broadcast(&answered);
    pthread_mutex_unlock(&lock);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    pthread_mutex_lock(&lock);
    struct held *held = node != NULL && *node != '\0' ? find(node) : NULL;
    if (held != NULL) {
        node = "127.0.0.1";
        if (!held->isAnswered) {
            held->waiting++;
            held->begins(held->context);
            while (!held->isAnswered) pthread_cond_wait(&answered, &lock);
            if (--held->waiting == 0) held->name[0] = '\0';
        }
    }
    pthread_mutex_unlock(&lock);
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    void *address = dlsym(RTLD_NEXT, "getaddrinfo");
    // POSIX lets a function's address pass as void *.
    memcpy(&next, &address, sizeof next);
    return next(node, service, hints, result);
}

#else

bool clt_holds_lookups(void) { return false; }
bool clt_hold_lookup(const char *name, void (*begins)(void *context), void *context) { return false; }
void clt_answer_lookup(const char *name) {}

#endif
