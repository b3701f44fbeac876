#include "CCalotypeKernels.h"
#include <pthread.h>

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
