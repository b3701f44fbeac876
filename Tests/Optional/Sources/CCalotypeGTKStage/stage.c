// For clock_gettime.
#define _POSIX_C_SOURCE 200809L

#include "CCalotypeGTKStage.h"

#include <gtk/gtk.h>
#include <time.h>

static GMainLoop *loop;
static unsigned wakeups;

// The time of the main thread, in microseconds: at the last return from poll, at the start of the frame and of the
// list's layout, and in all frames since that return.
static gint64 turn_start, frame_start, layout_start, frame_time;
// The part of the list and of jobs of the main actor since the last frame.
static double share;
static void (*report_share)(void *context, double milliseconds);
static void *report_context;

static gint64 thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (gint64)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static gint counting_poll(GPollFD *files, guint count, gint timeout) {
    share += (double)(thread_time() - turn_start - frame_time) / 1000;
    frame_time = 0;
    gint result = g_poll(files, count, timeout);
    turn_start = thread_time();
    // With a timeout of 0, the loop does not wait.
    if (timeout != 0) wakeups++;
    return result;
}

static void frame_started(void) { frame_start = thread_time(); }
static void layout_started(void) { layout_start = thread_time(); }
static void layout_ended(void) { share += (double)(thread_time() - layout_start) / 1000; }

static void frame_ended(void) {
    frame_time += thread_time() - frame_start;
    report_share(report_context, share);
    share = 0;
}

void clt_stage_measure(void *window, void (*report)(void *context, double milliseconds), void *context) {
    report_share = report;
    report_context = context;
    gtk_widget_realize(GTK_WIDGET(window));
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(window));
    g_signal_connect(clock, "before-paint", G_CALLBACK(frame_started), NULL);
    g_signal_connect_after(clock, "layout", G_CALLBACK(layout_started), NULL);
    g_signal_connect_after(clock, "after-paint", G_CALLBACK(frame_ended), NULL);
}

void clt_stage_measure_list(void *window) {
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(window));
    g_signal_connect_after(clock, "layout", G_CALLBACK(layout_ended), NULL);
}

unsigned clt_stage_wakeups(void) { return wakeups; }

bool clt_stage_run(int width, int height, void (*ready)(void *context, void *window), void *context) {
    if (!gtk_init_check()) return false;
    GtkWidget *window = gtk_window_new();
    gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    loop = g_main_loop_new(NULL, FALSE);
    g_main_context_set_poll_func(NULL, counting_poll);
    ready(context, window);
    gtk_window_present(GTK_WINDOW(window));
    g_main_loop_run(loop);
    g_main_loop_unref(loop);
    return true;
}

void clt_stage_quit(void) { g_main_loop_quit(loop); }

void clt_stage_set_child(void *window, void *widget) {
    gtk_window_set_child(GTK_WINDOW(window), widget ? GTK_WIDGET(widget) : NULL);
}

void clt_stage_set_visible(void *widget, bool visible) { gtk_widget_set_visible(GTK_WIDGET(widget), visible); }

bool clt_stage_middle_color(void *view, uint8_t rgba[4]) {
    enum { SIDE = 32 };
    GtkSnapshot *snapshot = gtk_snapshot_new();
    GtkPicture *image = GTK_PICTURE(gtk_overlay_get_child(GTK_OVERLAY(view)));
    gdk_paintable_snapshot(gtk_picture_get_paintable(image), snapshot, SIDE, SIDE);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    if (!node) return false;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, SIDE, SIDE);
    cairo_t *context = cairo_create(surface);
    gsk_render_node_draw(node, context);
    cairo_destroy(context);
    cairo_surface_flush(surface);
    const unsigned char *row = cairo_image_surface_get_data(surface) + SIDE / 2 * cairo_image_surface_get_stride(surface);
    uint32_t pixel = ((const uint32_t *)(const void *)row)[SIDE / 2];
    uint32_t alpha = pixel >> 24;
    for (int i = 0; i < 3; i++) {
        uint32_t value = (pixel >> (16 - 8 * i)) & 255;
        rgba[i] = (uint8_t)(alpha ? MIN(255, (value * 255 + alpha / 2) / alpha) : 0);
    }
    rgba[3] = (uint8_t)alpha;
    cairo_surface_destroy(surface);
    gsk_render_node_unref(node);
    return alpha > 0;
}

void clt_stage_set_size(void *widget, int width, int height) {
    gtk_widget_set_size_request(GTK_WIDGET(widget), width, height);
}

void clt_stage_center(void *widget, bool centers) {
    gtk_widget_set_halign(GTK_WIDGET(widget), centers ? GTK_ALIGN_CENTER : GTK_ALIGN_FILL);
    gtk_widget_set_valign(GTK_WIDGET(widget), centers ? GTK_ALIGN_CENTER : GTK_ALIGN_FILL);
}

void *clt_stage_find(void *widget, const char *name) {
    if (g_strcmp0(gtk_widget_get_css_name(GTK_WIDGET(widget)), name) == 0) return widget;
    GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(widget));
    for (; child; child = gtk_widget_get_next_sibling(child)) {
        void *found = clt_stage_find(child, name);
        if (found) return found;
    }
    return NULL;
}

void *clt_stage_row(void *view) {
    GtkBox *row = GTK_BOX(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0));
    gtk_box_append(row, GTK_WIDGET(view));
    gtk_box_append(row, gtk_label_new(NULL));
    return row;
}

void clt_stage_set_text(void *row, const char *text) {
    gtk_label_set_text(GTK_LABEL(gtk_widget_get_last_child(GTK_WIDGET(row))), text);
}

const char *clt_stage_text(void *label) { return label ? gtk_label_get_text(GTK_LABEL(label)) : NULL; }
bool clt_stage_is_focusable(void *widget) { return gtk_widget_get_focusable(GTK_WIDGET(widget)); }
const char *clt_stage_tooltip(void *widget) { return gtk_widget_get_tooltip_text(GTK_WIDGET(widget)); }
int clt_stage_width(void *widget) { return gtk_widget_get_width(GTK_WIDGET(widget)); }
void clt_stage_set_sensitive(void *widget, bool is_sensitive) { gtk_widget_set_sensitive(GTK_WIDGET(widget), is_sensitive); }
void clt_stage_click(void *button) { g_signal_emit_by_name(button, "clicked"); }
void *clt_stage_button(void) { return g_object_ref_sink(gtk_button_new()); }
void clt_stage_release(void *object) { g_object_unref(object); }

typedef struct {
    bool (*tick)(void *context);
    void *context;
} Timer;

static gboolean timer_tick(gpointer data) {
    Timer *timer = data;
    return timer->tick(timer->context) ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void clt_stage_every(unsigned milliseconds, bool (*tick)(void *context), void *context) {
    Timer *timer = g_new(Timer, 1);
    timer->tick = tick;
    timer->context = context;
    g_timeout_add_full(G_PRIORITY_DEFAULT, milliseconds, timer_tick, timer, g_free);
}

static void painted(GdkFrameClock *clock, Timer *timer) {
    (void)clock;
    timer->tick(timer->context);
}

void clt_stage_after_each_paint(void *window, bool (*tick)(void *context), void *context) {
    Timer *timer = g_new(Timer, 1);
    timer->tick = tick;
    timer->context = context;
    gtk_widget_realize(GTK_WIDGET(window));
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(window));
    g_signal_connect_data(clock, "after-paint", G_CALLBACK(painted), timer, (GClosureNotify)(void (*)(void))g_free, 0);
}

void clt_stage_set_animates(bool animates) {
    g_object_set(gtk_settings_get_default(), "gtk-enable-animations", (gboolean)animates, NULL);
}
