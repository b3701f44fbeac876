#ifdef GTK

#include "CCalotypeGTK.h"
#include "turns.h"

#include <gtk/gtk.h>

typedef struct {
    calotype_gtk_grid_callbacks callbacks;
    bool attached;
    GtkGridView *view;
    GtkStringList *items;
    // Whether cells may have moved since the last frame.
    bool moved;
    GdkFrameClock *clock;
    gulong painted;
} Grid;

static Grid *parts(void *widget) { return g_object_get_data(G_OBJECT(widget), "calotype-grid"); }

#define TIMED(statement)                                                                                               \
    do {                                                                                                               \
        int64_t began = calotype_gtk_thread_time();                                                                      \
        statement;                                                                                                     \
        calotype_gtk_note_turn(began);                                                                                 \
    } while (0)

static const char cell_key[] = "calotype-cell";

static void setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Grid *grid) {
    (void)factory;
    if (!grid->attached) return;
    void *widget = NULL;
    void *cell = grid->callbacks.make_cell(grid->callbacks.context, &widget);
    g_object_set_data(G_OBJECT(item), cell_key, cell);
    gtk_list_item_set_child(item, GTK_WIDGET(widget));
}

static void bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Grid *grid) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    if (!grid->attached || !cell) return;
    TIMED(grid->callbacks.bind(grid->callbacks.context, cell, gtk_list_item_get_position(item)));
    grid->moved = true;
}

static void unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Grid *grid) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    if (grid->attached && cell) TIMED(grid->callbacks.unbind(grid->callbacks.context, cell));
}

static void teardown_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Grid *grid) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    g_object_set_data(G_OBJECT(item), cell_key, NULL);
    gtk_list_item_set_child(item, NULL);
    if (grid->attached && cell) grid->callbacks.drop_cell(grid->callbacks.context, cell);
}

static void activated(GtkGridView *view, guint position, Grid *grid) {
    (void)view;
    if (grid->attached) grid->callbacks.activate(grid->callbacks.context, position);
}

static void scrolled(GtkAdjustment *adjustment, Grid *grid) {
    (void)adjustment;
    grid->moved = true;
    gtk_widget_queue_draw(GTK_WIDGET(grid->view));
}

// Cells have their places only after the frame's layout, so that the end of the frame is the time to look.
static void painted(GdkFrameClock *clock, Grid *grid) {
    (void)clock;
    if (!grid->moved || !grid->attached) return;
    grid->moved = false;
    TIMED(grid->moved = grid->callbacks.moved(grid->callbacks.context));
    if (grid->moved) gtk_widget_queue_draw(GTK_WIDGET(grid->view));
}

static void realized(GtkWidget *widget, Grid *grid) {
    grid->clock = g_object_ref(gtk_widget_get_frame_clock(widget));
    grid->painted = g_signal_connect(grid->clock, "after-paint", G_CALLBACK(painted), grid);
    grid->moved = true;
}

static void unrealized(GtkWidget *widget, Grid *grid) {
    (void)widget;
    if (!grid->clock) return;
    g_signal_handler_disconnect(grid->clock, grid->painted);
    g_clear_object(&grid->clock);
}

static void scaled(GObject *object, GParamSpec *property, Grid *grid) {
    (void)object;
    (void)property;
    if (grid->attached) grid->callbacks.scaled(grid->callbacks.context);
}

void *calotype_gtk_grid_new(const calotype_gtk_grid_callbacks *callbacks) {
    Grid *grid = g_rc_box_new0(Grid);
    grid->callbacks = *callbacks;
    grid->attached = true;

    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), grid);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), grid);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), grid);
    g_signal_connect(factory, "teardown", G_CALLBACK(teardown_cell), grid);

    grid->items = gtk_string_list_new(NULL);
    GtkSelectionModel *selection = GTK_SELECTION_MODEL(gtk_single_selection_new(G_LIST_MODEL(grid->items)));
    grid->view = GTK_GRID_VIEW(gtk_grid_view_new(selection, factory));
    gtk_grid_view_set_min_columns(grid->view, 1);
    gtk_grid_view_set_max_columns(grid->view, 4);
    gtk_grid_view_set_single_click_activate(grid->view, TRUE);
    g_signal_connect(grid->view, "activate", G_CALLBACK(activated), grid);
    g_signal_connect(grid->view, "realize", G_CALLBACK(realized), grid);
    g_signal_connect(grid->view, "unrealize", G_CALLBACK(unrealized), grid);
    g_signal_connect(grid->view, "notify::scale-factor", G_CALLBACK(scaled), grid);

    GtkWidget *window = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(window), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(window), GTK_WIDGET(grid->view));
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(window));
    g_signal_connect(adjustment, "value-changed", G_CALLBACK(scrolled), grid);
    g_signal_connect(adjustment, "changed", G_CALLBACK(scrolled), grid);
    // Kept by every object whose signals use it, since any of them may be the last to go.
    g_object_set_data_full(G_OBJECT(window), "calotype-grid", grid, g_rc_box_release);
    g_object_set_data_full(G_OBJECT(factory), "calotype-grid", g_rc_box_acquire(grid), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(grid->view), "calotype-grid", g_rc_box_acquire(grid), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(adjustment), "calotype-grid", g_rc_box_acquire(grid), g_rc_box_release);
    return window;
}

void calotype_gtk_grid_detach(void *widget) { parts(widget)->attached = false; }

void calotype_gtk_grid_set_columns(void *widget, unsigned columns) {
    GtkGridView *view = parts(widget)->view;
    if (gtk_grid_view_get_max_columns(view) != columns) gtk_grid_view_set_max_columns(view, columns);
}

void calotype_gtk_grid_set_count(void *widget, unsigned count) {
    Grid *grid = parts(widget);
    guint old = g_list_model_get_n_items(G_LIST_MODEL(grid->items));
    const char **additions = g_new0(const char *, (size_t)count + 1);
    // Items need only be told apart by their positions.
    for (unsigned i = 0; i < count; i++) additions[i] = "";
    gtk_string_list_splice(grid->items, 0, old, additions);
    g_free((gpointer)additions);
}

double calotype_gtk_grid_offset(void *widget, double *maximum) {
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(widget));
    *maximum = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment);
    return gtk_adjustment_get_value(adjustment);
}

void calotype_gtk_grid_set_offset(void *widget, double offset) {
    gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(widget)), offset);
}

void calotype_gtk_grid_focus(void *widget) { gtk_widget_grab_focus(GTK_WIDGET(parts(widget)->view)); }

#endif
