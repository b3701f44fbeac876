// BareLoop URL COUNT CONNECTIONS BODYSIZE [THREADS]: a minimal client of libcurl, to compare others with. It fetches
// the URL COUNT times, CONNECTIONS at a time, each body into the memory of its connection. With THREADS, it passes each
// body to one of that many threads, which return the connection, like a client that processes bodies on other threads.
// It prints the bytes of all bodies, the microseconds of time and of processor time per request, and the median
// microseconds to the first byte.
#define _DEFAULT_SOURCE
#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/// The request of a connection, which is repeated.
struct slot {
    CURL *handle;
    struct slot *next;
    char *body;
    size_t capacity;
    size_t received;
    int is_good;
};

/// The threads that receive bodies and return connections for their next request.
struct pool {
    CURLM *multi;
    pthread_mutex_t lock;
    pthread_cond_t has_work;
    struct slot *first, *last;
    struct slot *given_back;
    size_t waiting;
    int loop_sleeps, is_closing;
    atomic_size_t good;
};

static size_t store_bytes(char *bytes, size_t size, size_t count, void *context) {
    struct slot *slot = context;
    size_t length = size * count;
    if (length > slot->capacity - slot->received) return 0;
    memcpy(slot->body + slot->received, bytes, length);
    slot->received += length;
    return length;
}

static int prepare(struct slot *slot, const char *url, size_t capacity) {
    slot->body = malloc(capacity);
    slot->capacity = capacity;
    slot->handle = curl_easy_init();
    if (slot->handle == NULL || slot->body == NULL) return 0;
    return curl_easy_setopt(slot->handle, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_BUFFERSIZE, 64L << 10) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_PRIVATE, slot) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_WRITEFUNCTION, store_bytes) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_WRITEDATA, slot) == CURLE_OK;
}

/// Checks a body and empties it.
static int take_body(struct slot *slot) {
    int is_good = slot->is_good && slot->received == slot->capacity;
    slot->received = 0;
    return is_good;
}

static void *take_bodies(void *context) {
    struct pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->first == NULL && !pool->is_closing) {
            pool->waiting++;
            pthread_cond_wait(&pool->has_work, &pool->lock);
            pool->waiting--;
        }
        struct slot *slot = pool->first;
        if (slot == NULL) break;
        pool->first = slot->next;
        pthread_mutex_unlock(&pool->lock);
        if (take_body(slot)) atomic_fetch_add(&pool->good, 1);
        pthread_mutex_lock(&pool->lock);
        slot->next = pool->given_back;
        pool->given_back = slot;
        if (!pool->loop_sleeps) continue;
        pool->loop_sleeps = 0;
        pthread_mutex_unlock(&pool->lock);
        (void)curl_multi_wakeup(pool->multi);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/// Passes completed transfers to the threads, in order.
static void hand_over(struct pool *pool, struct slot *first, struct slot *last, size_t count) {
    pthread_mutex_lock(&pool->lock);
    if (pool->first == NULL) pool->first = first;
    else pool->last->next = first;
    pool->last = last;
    size_t wakes = count < pool->waiting ? count : pool->waiting;
    pthread_mutex_unlock(&pool->lock);
    while (wakes-- > 0) pthread_cond_signal(&pool->has_work);
}

/// Returns the connections that may start their next request. Without any, the loop sleeps.
static struct slot *take_given_back(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    struct slot *slot = pool->given_back;
    pool->given_back = NULL;
    pool->loop_sleeps = slot == NULL;
    pthread_mutex_unlock(&pool->lock);
    return slot;
}

/// Starts the next request of a connection, if there is one. Returns whether it did.
static int start(CURLM *multi, struct slot *slot, size_t count, size_t *started) {
    if (*started == count) return 1;
    ++*started;
    return curl_multi_add_handle(multi, slot->handle) == CURLM_OK;
}

/// Fetches `url` `count` times. `first_bytes` receives the microseconds from each start to the first byte. Returns the
/// number of incomplete bodies.
static size_t fetch(
    const char *url, size_t count, size_t connections, size_t threads, size_t body, double *first_bytes) {
    size_t started = 0, ended = 0, good = 0, running_threads = 0;
    CURLM *multi = curl_multi_init();
    struct slot *slots = calloc(connections, sizeof *slots);
    pthread_t *workers = calloc(threads + 1, sizeof *workers);
    struct pool pool = {.multi = multi, .lock = PTHREAD_MUTEX_INITIALIZER, .has_work = PTHREAD_COND_INITIALIZER};
    if (multi == NULL || slots == NULL || workers == NULL) goto out;
    while (running_threads < threads) {
        if (pthread_create(&workers[running_threads], NULL, take_bodies, &pool) != 0) goto out;
        running_threads++;
    }
    (void)curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)connections);
    for (; started < connections && started < count; started++) {
        if (!prepare(&slots[started], url, body) || curl_multi_add_handle(multi, slots[started].handle) != CURLM_OK) goto out;
    }
    while (ended < count) {
        int running = 0, left = 0, could_start = 1;
        struct slot *first = NULL, *last = NULL;
        size_t newly_ended = 0;
        CURLMsg *message;
        if (curl_multi_perform(multi, &running) != CURLM_OK) break;
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            CURLcode result = message->data.result;
            char *private = NULL;
            curl_off_t first_byte = 0;
            long status = 0;
            (void)curl_easy_getinfo(handle, CURLINFO_PRIVATE, &private);
            (void)curl_easy_getinfo(handle, CURLINFO_STARTTRANSFER_TIME_T, &first_byte);
            (void)curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
            struct slot *slot = (struct slot *)(void *)private;
            slot->is_good = result == CURLE_OK && status == 200;
            first_bytes[ended++] = (double)first_byte;
            newly_ended++;
            (void)curl_multi_remove_handle(multi, handle);
            if (threads == 0) {
                if (take_body(slot)) good++;
                could_start &= start(multi, slot, count, &started);
                continue;
            }
            slot->next = NULL;
            if (first == NULL) first = slot;
            else last->next = slot;
            last = slot;
        }
        if (first != NULL) hand_over(&pool, first, last, newly_ended);
        struct slot *slot = threads > 0 ? take_given_back(&pool) : NULL;
        int has_more = slot != NULL;
        while (slot != NULL) {
            struct slot *next = slot->next;
            could_start &= start(multi, slot, count, &started);
            slot = next;
        }
        if (!could_start) break;
        if (!has_more && ended < count) (void)curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
out:
    pthread_mutex_lock(&pool.lock);
    pool.is_closing = 1;
    pthread_mutex_unlock(&pool.lock);
    pthread_cond_broadcast(&pool.has_work);
    for (size_t i = 0; i < running_threads; i++) pthread_join(workers[i], NULL);
    free(workers);
    if (slots != NULL) {
        for (size_t i = 0; i < connections; i++) {
            free(slots[i].body);
            if (slots[i].handle == NULL) continue;
            (void)curl_multi_remove_handle(multi, slots[i].handle);
            curl_easy_cleanup(slots[i].handle);
        }
    }
    free(slots);
    if (multi != NULL) (void)curl_multi_cleanup(multi);
    return count - good - atomic_load(&pool.good);
}

static int ascending(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static double wall_microseconds(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double cpu_microseconds(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: BareLoop URL COUNT CONNECTIONS BODYSIZE [THREADS]\n");
        return 2;
    }
    size_t count = strtoul(argv[2], NULL, 10), connections = strtoul(argv[3], NULL, 10), body = strtoul(argv[4], NULL, 10);
    size_t threads = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
    if (count == 0 || connections == 0 || body == 0) return 2;
    double *first_bytes = calloc(count > connections ? count : connections, sizeof *first_bytes);
    if (first_bytes == NULL) return 1;
    // The first round does not count: the processes of the comparison are warmed up, too.
    (void)fetch(argv[1], connections, connections, threads, body, first_bytes);
    double began = wall_microseconds(), before = cpu_microseconds();
    size_t failed = fetch(argv[1], count, connections, threads, body, first_bytes);
    double time = wall_microseconds() - began, cpu = cpu_microseconds() - before;
    qsort(first_bytes, count, sizeof *first_bytes, ascending);
    printf("%zu %g %g %g\n", (count - failed) * body, time / (double)count, cpu / (double)count, first_bytes[count / 2]);
    free(first_bytes);
    return 0;
}
