#ifdef GTK

#include "CCalotypeGTK.h"

#include <gtk/gtk.h>

static GMainLoop *loop;

bool calotype_gtk_run(int width, int height, void (*ready)(void *context, void *window), void *context) {
    if (!gtk_init_check()) return false;
    GtkWidget *window = gtk_window_new();
    gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    loop = g_main_loop_new(NULL, FALSE);
    ready(context, window);
    gtk_window_present(GTK_WINDOW(window));
    g_main_loop_run(loop);
    g_main_loop_unref(loop);
    return true;
}

void calotype_gtk_quit(void) { g_main_loop_quit(loop); }

void calotype_gtk_window_set_child(void *window, void *widget) {
    gtk_window_set_child(GTK_WINDOW(window), widget ? GTK_WIDGET(widget) : NULL);
}

typedef struct {
    bool (*tick)(void *context);
    void *context;
} Timer;

static gboolean timer_tick(gpointer data) {
    Timer *timer = data;
    return timer->tick(timer->context) ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void calotype_gtk_every(unsigned milliseconds, bool (*tick)(void *context), void *context) {
    Timer *timer = g_new(Timer, 1);
    timer->tick = tick;
    timer->context = context;
    g_timeout_add_full(G_PRIORITY_DEFAULT, milliseconds, timer_tick, timer, g_free);
}

int64_t calotype_gtk_now(void) { return g_get_monotonic_time() * 1000; }

void calotype_gtk_set_animates(bool animates) {
    g_object_set(gtk_settings_get_default(), "gtk-enable-animations", (gboolean)animates, NULL);
}

#endif
