#ifdef GTK

// clock_gettime, pread
#define _POSIX_C_SOURCE 200809L

#include "turns.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_measured;
static calotype_gtk_turns turns[CALOTYPE_GTK_KINDS];
// Turns lie within one another: asking for pictures may make GTK bind cells. Only outermost ones count for all.
static int depth;
// The main thread's /proc/thread-self/schedstat, where there is one.
static int statistics = -1;

static int64_t microseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/// For how long the thread could have run and had no processor: the second number of its statistics, in nanoseconds (Linux,
/// Documentation/scheduler/sched-stats.rst). It is up to date whenever the thread runs.
static int64_t delay(void) {
    char text[80] = "";
    if (statistics < 0 || pread(statistics, text, sizeof text - 1, 0) <= 0) return 0;
    const char *second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) / 1000 : 0;
}

calotype_gtk_time calotype_gtk_now(void) {
    calotype_gtk_time now;
    int64_t before;
    // A delay between the readings would be in one of them alone.
    for (int reading = 0; reading < 8; reading++) {
        before = delay();
        now.clock = microseconds(CLOCK_MONOTONIC);
        now.processor = microseconds(CLOCK_THREAD_CPUTIME_ID);
        now.held = now.clock - before;
        if (delay() == before) break;
    }
    return now;
}

static void add(calotype_gtk_turns *sum, calotype_gtk_time time) {
    sum->count++;
    sum->total.clock += time.clock;
    sum->total.processor += time.processor;
    sum->total.held += time.held;
    if (time.clock > sum->longest.clock) sum->longest.clock = time.clock;
    if (time.processor > sum->longest.processor) sum->longest.processor = time.processor;
    if (time.held > sum->longest.held) sum->longest.held = time.held;
}

calotype_gtk_turn calotype_gtk_begin_turn(int kind) {
    calotype_gtk_turn turn = {.kind = kind, .is_measured = is_measured};
    if (!is_measured) return turn;
    depth++;
    turn.began = calotype_gtk_now();
    return turn;
}

void calotype_gtk_end_turn(calotype_gtk_turn turn) {
    if (!turn.is_measured) return;
    calotype_gtk_time now = calotype_gtk_now();
    calotype_gtk_time time = {
        now.clock - turn.began.clock, now.processor - turn.began.processor, now.held - turn.began.held};
    add(&turns[turn.kind], time);
    if (--depth == 0) add(&turns[CALOTYPE_GTK_ALL], time);
}

calotype_gtk_turns calotype_gtk_turns_of(int kind) { return turns[kind]; }

void calotype_gtk_measure_turns(void) {
#ifdef __linux__
    if (statistics < 0) statistics = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
#endif
    is_measured = true;
    for (int kind = 0; kind < CALOTYPE_GTK_KINDS; kind++) turns[kind] = (calotype_gtk_turns){0};
}

#endif
