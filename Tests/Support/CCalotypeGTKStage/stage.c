#ifdef GTK

#include "CCalotypeGTKStage.h"

#include <gtk/gtk.h>

static GMainLoop *loop;

bool calotype_stage_run(int width, int height, void (*ready)(void *context, void *window), void *context) {
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

void calotype_stage_quit(void) { g_main_loop_quit(loop); }

void calotype_stage_set_child(void *window, void *widget) {
    gtk_window_set_child(GTK_WINDOW(window), widget ? GTK_WIDGET(widget) : NULL);
}

void calotype_stage_set_visible(void *widget, bool visible) { gtk_widget_set_visible(GTK_WIDGET(widget), visible); }

typedef struct {
    bool (*tick)(void *context);
    void *context;
} Timer;

static gboolean timer_tick(gpointer data) {
    Timer *timer = data;
    return timer->tick(timer->context) ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void calotype_stage_every(unsigned milliseconds, bool (*tick)(void *context), void *context) {
    Timer *timer = g_new(Timer, 1);
    timer->tick = tick;
    timer->context = context;
    g_timeout_add_full(G_PRIORITY_DEFAULT, milliseconds, timer_tick, timer, g_free);
}

static void painted(GdkFrameClock *clock, Timer *timer) {
    (void)clock;
    timer->tick(timer->context);
}

void calotype_stage_after_each_paint(void *window, bool (*tick)(void *context), void *context) {
    Timer *timer = g_new(Timer, 1);
    timer->tick = tick;
    timer->context = context;
    gtk_widget_realize(GTK_WIDGET(window));
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(window));
    g_signal_connect_data(clock, "after-paint", G_CALLBACK(painted), timer, (GClosureNotify)(void (*)(void))g_free, 0);
}

void calotype_stage_set_animates(bool animates) {
    g_object_set(gtk_settings_get_default(), "gtk-enable-animations", (gboolean)animates, NULL);
}

#endif
