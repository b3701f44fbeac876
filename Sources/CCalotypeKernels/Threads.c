#include "CCalotypeKernels.h"
#include <pthread.h>
#include <stdlib.h>

enum { MOST_THREADS = 64 };

typedef struct job {
    void (*body)(void *context, size_t index);
    void *context;
    size_t index;
} job;

static void *run(void *argument) {
    const job *work = argument;
    work->body(work->context, work->index);
    return NULL;
}

void clt_run_together(size_t count, void (*body)(void *context, size_t index), void *context) {
    pthread_t threads[MOST_THREADS];
    job jobs[MOST_THREADS];
    bool started[MOST_THREADS];
    for (size_t base = 0; base < count; base += MOST_THREADS) {
        size_t batch = count - base < MOST_THREADS ? count - base : MOST_THREADS;
        for (size_t i = 1; i < batch; i++) {
            jobs[i] = (job){body, context, base + i};
            started[i] = pthread_create(&threads[i], NULL, run, &jobs[i]) == 0;
        }
        body(context, base);
        for (size_t i = 1; i < batch; i++) {
            if (started[i]) {
                pthread_join(threads[i], NULL);
            } else {
                run(&jobs[i]);
            }
        }
    }
}

typedef struct errand {
    void (*body)(void *context);
    void *context;
} errand;

static void *run_errand(void *argument) {
    errand work = *(errand *)argument;
    free(argument);
    work.body(work.context);
    return NULL;
}

bool clt_run_detached(void (*body)(void *context), void *context) {
    errand *work = malloc(sizeof *work);
    pthread_attr_t attributes;
    if (!work || pthread_attr_init(&attributes) != 0) {
        free(work);
        return false;
    }
    *work = (errand){body, context};
    pthread_t thread;
    // Codecs are written for the main thread's stack.
    bool is_started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                      pthread_attr_setstacksize(&attributes, (size_t)8 << 20) == 0 &&
                      pthread_create(&thread, &attributes, run_errand, work) == 0;
    pthread_attr_destroy(&attributes);
    if (!is_started) free(work);
    return is_started;
}
