#ifdef GTK

#include "CCalotypeGTK.h"

#include <errno.h>
#include <glib-unix.h>
#include <unistd.h>

// Functions of libdispatch for other main loops. Its public headers do not declare them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

static gboolean drain(gint handle, GIOCondition condition, gpointer data) {
    (void)condition;
    (void)data;
    // The handle is an eventfd. Unless it is read, it stays readable and the loop spins.
    uint64_t count;
    while (read(handle, &count, sizeof count) < 0 && errno == EINTR) {}
    _dispatch_main_queue_callback_4CF(NULL);
    return G_SOURCE_CONTINUE;
}

void calotype_gtk_attach_main_queue(void) {
    static gboolean attached = FALSE;
    if (attached) return;
    attached = TRUE;
    g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, drain, NULL);
}

#endif
