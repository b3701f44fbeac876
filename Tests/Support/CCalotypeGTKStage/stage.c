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

static void make_picture(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer cell) {
    (void)factory;
    GtkWidget *picture = gtk_picture_new();
    gtk_widget_set_size_request(picture, GPOINTER_TO_INT(cell), GPOINTER_TO_INT(cell));
    gtk_widget_set_halign(picture, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(picture, GTK_ALIGN_CENTER);
    gtk_list_item_set_child(item, picture);
}

static void bind_picture(GtkSignalListItemFactory *factory, GtkListItem *item, GPtrArray *textures) {
    (void)factory;
    GdkPaintable *texture = g_ptr_array_index(textures, gtk_list_item_get_position(item) % textures->len);
    gtk_picture_set_paintable(GTK_PICTURE(gtk_list_item_get_child(item)), texture);
}

void *calotype_stage_plain_grid(unsigned count, int cell, unsigned columns, void *const *textures, size_t texture_count) {
    GPtrArray *kept = g_ptr_array_new_with_free_func(g_object_unref);
    for (size_t i = 0; i < texture_count; i++) g_ptr_array_add(kept, g_object_ref(textures[i]));
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(make_picture), GINT_TO_POINTER(cell));
    g_signal_connect(factory, "bind", G_CALLBACK(bind_picture), kept);
    const char **names = g_new0(const char *, (size_t)count + 1);
    for (unsigned i = 0; i < count; i++) names[i] = "";
    GListModel *items = G_LIST_MODEL(gtk_string_list_new(names));
    g_free((gpointer)names);
    GtkWidget *view = gtk_grid_view_new(GTK_SELECTION_MODEL(gtk_single_selection_new(items)), factory);
    gtk_grid_view_set_min_columns(GTK_GRID_VIEW(view), 1);
    gtk_grid_view_set_max_columns(GTK_GRID_VIEW(view), columns);
    GtkWidget *window = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(window), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(window), view);
    return window;
}

double calotype_stage_plain_offset(void *grid, double *maximum) {
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(grid));
    *maximum = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment);
    return gtk_adjustment_get_value(adjustment);
}

#endif
