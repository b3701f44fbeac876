#ifdef GTK

// clock_gettime
#define _POSIX_C_SOURCE 200809L

#include "turns.h"

#include <time.h>

static calotype_gtk_turns turns[CALOTYPE_GTK_KINDS];
// Turns lie within one another: asking for pictures may make GTK bind cells. Only outermost ones count for all.
static int depth;

static int64_t microseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static calotype_gtk_time now(void) {
    return (calotype_gtk_time){microseconds(CLOCK_MONOTONIC), microseconds(CLOCK_THREAD_CPUTIME_ID)};
}

static void add(calotype_gtk_turns *sum, calotype_gtk_time time) {
    sum->count++;
    sum->total.clock += time.clock;
    sum->total.processor += time.processor;
    if (time.clock > sum->longest.clock) sum->longest.clock = time.clock;
    if (time.processor > sum->longest.processor) sum->longest.processor = time.processor;
}

calotype_gtk_turn calotype_gtk_begin_turn(int kind) {
    depth++;
    return (calotype_gtk_turn){kind, now()};
}

void calotype_gtk_end_turn(calotype_gtk_turn turn) {
    calotype_gtk_time time = now();
    time.clock -= turn.began.clock;
    time.processor -= turn.began.processor;
    add(&turns[turn.kind], time);
    if (--depth == 0) add(&turns[CALOTYPE_GTK_ALL], time);
}

calotype_gtk_turns calotype_gtk_turns_of(int kind) { return turns[kind]; }

void calotype_gtk_forget_turns(void) {
    for (int kind = 0; kind < CALOTYPE_GTK_KINDS; kind++) turns[kind] = (calotype_gtk_turns){0};
}

#endif
