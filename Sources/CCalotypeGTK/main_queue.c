#ifdef GTK

// clock_gettime
#define _POSIX_C_SOURCE 200809L

#include "CCalotypeGTK.h"
#include "turns.h"

#include <glib-unix.h>
#include <time.h>
#include <unistd.h>

// Entry points of libdispatch for foreign main loops; its own headers keep them private.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

static int64_t longest_turn, turn_count;

int64_t calotype_gtk_thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

void calotype_gtk_note_turn(int64_t began) {
    int64_t time = calotype_gtk_thread_time() - began;
    if (time > longest_turn) longest_turn = time;
    turn_count++;
}

int64_t calotype_gtk_take_longest_turn(int64_t *turns) {
    int64_t longest = longest_turn;
    *turns = turn_count;
    longest_turn = 0;
    turn_count = 0;
    return longest;
}

static gboolean drain(gint handle, GIOCondition condition, gpointer data) {
    (void)condition;
    (void)data;
    int64_t began = calotype_gtk_thread_time();
    // The handle is an eventfd: what is not read stays readable, and the loop would spin.
    uint64_t count;
    while (read(handle, &count, sizeof count) < 0 && errno == EINTR) {}
    _dispatch_main_queue_callback_4CF(NULL);
    calotype_gtk_note_turn(began);
    return G_SOURCE_CONTINUE;
}

void calotype_gtk_attach_main_queue(void) {
    static gboolean attached = FALSE;
    if (attached) return;
    attached = TRUE;
    g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, drain, NULL);
}

#endif
