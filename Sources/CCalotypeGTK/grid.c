#ifdef GTK

#include "turns.h"

#include <gtk/gtk.h>
#include <math.h>

typedef struct {
    calotype_gtk_grid_callbacks callbacks;
    bool attached;
    GtkGridView *view;
    GtkStringList *items;
    int cell_width;
    // Whether cells may have moved since the grid looked at them last, and whether it left some for the next frame.
    bool moved, is_unfinished;
    // Turns of the wheel that wait for the next frame.
    double turned;
    GdkFrameClock *clock;
    gulong updated, laid_out, painted;
} Grid;

static Grid *parts(void *widget) { return g_object_get_data(G_OBJECT(widget), "calotype-grid"); }

#define TURN(kind, statement)                                                                                          \
    do {                                                                                                               \
        calotype_gtk_turn turn = calotype_gtk_begin_turn(CALOTYPE_GTK_##kind);                                         \
        statement;                                                                                                     \
        calotype_gtk_end_turn(turn);                                                                                   \
    } while (0)

// Cells have their places once a frame is laid out: then is the time to look, before it is painted.
static void look_again(Grid *grid) {
    grid->moved = true;
    if (grid->clock) gdk_frame_clock_request_phase(grid->clock, GDK_FRAME_CLOCK_PHASE_LAYOUT);
}

static const char cell_key[] = "calotype-cell";

static void setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Grid *grid) {
    (void)factory;
    if (!grid->attached) return;
    void *widget = NULL;
    void *cell = NULL;
    TURN(MAKE_CELL, cell = grid->callbacks.make_cell(grid->callbacks.context, &widget));
    g_object_set_data(G_OBJECT(item), cell_key, cell);
    gtk_list_item_set_child(item, GTK_WIDGET(widget));
}

static void bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Grid *grid) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    if (!grid->attached || !cell) return;
    TURN(BIND, grid->callbacks.bind(grid->callbacks.context, cell, gtk_list_item_get_position(item)));
    look_again(grid);
}

static void unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, Grid *grid) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    if (grid->attached && cell) TURN(UNBIND, grid->callbacks.unbind(grid->callbacks.context, cell));
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
    look_again(grid);
}

static GtkAdjustment *offset(Grid *grid) { return gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(grid->view)); }

// Turns that come within one frame are taken together: GtkGridView (4.8) loses its place, or ends the program by an assertion,
// when it is scrolled twice without a layout in between. What is no wheel has its own way, one event in a frame.
static gboolean turned(GtkEventControllerScroll *controller, double dx, double dy, Grid *grid) {
    (void)dx;
#if GTK_CHECK_VERSION(4, 8, 0)
    if (gtk_event_controller_scroll_get_unit(controller) != GDK_SCROLL_UNIT_WHEEL) return FALSE;
#else
    (void)controller;
#endif
    if (!grid->clock) return FALSE;
    grid->turned += dy;
    gdk_frame_clock_request_phase(grid->clock, GDK_FRAME_CLOCK_PHASE_UPDATE);
    return TRUE;
}

static void updated(GdkFrameClock *clock, Grid *grid) {
    (void)clock;
    if (grid->turned == 0) return;
    // One turn goes as far as GTK's own scrolling does.
    double step = pow(gtk_adjustment_get_page_size(offset(grid)), 2.0 / 3.0);
    gtk_adjustment_set_value(offset(grid), gtk_adjustment_get_value(offset(grid)) + grid->turned * step);
    grid->turned = 0;
}

static void laid_out(GdkFrameClock *clock, Grid *grid) {
    (void)clock;
    if (!grid->moved || !grid->attached) return;
    grid->moved = false;
    TURN(MOVED, grid->is_unfinished = grid->callbacks.moved(grid->callbacks.context));
}

// GTK keeps thirty rows of as many cells as there could be columns, so that a generous bound would cost thousands.
static void fit_columns(Grid *grid) {
    int width = gtk_widget_get_width(gtk_widget_get_parent(GTK_WIDGET(grid->view)));
    unsigned columns = (unsigned)CLAMP(width / MAX(1, grid->cell_width), 1, 200);
    if (width > 0 && gtk_grid_view_get_max_columns(grid->view) != columns) gtk_grid_view_set_max_columns(grid->view, columns);
}

// After the frame: what changes the layout, and what is left, would be done again and again within it.
static void painted(GdkFrameClock *clock, Grid *grid) {
    (void)clock;
    if (!grid->attached) return;
    fit_columns(grid);
    if (grid->is_unfinished) look_again(grid);
    grid->is_unfinished = false;
}

static void realized(GtkWidget *widget, Grid *grid) {
    grid->clock = g_object_ref(gtk_widget_get_frame_clock(widget));
    grid->updated = g_signal_connect(grid->clock, "update", G_CALLBACK(updated), grid);
    // After GTK's own handler, which lays out.
    grid->laid_out = g_signal_connect_after(grid->clock, "layout", G_CALLBACK(laid_out), grid);
    grid->painted = g_signal_connect(grid->clock, "after-paint", G_CALLBACK(painted), grid);
    look_again(grid);
}

static void unrealized(GtkWidget *widget, Grid *grid) {
    (void)widget;
    if (!grid->clock) return;
    g_signal_handler_disconnect(grid->clock, grid->updated);
    g_signal_handler_disconnect(grid->clock, grid->laid_out);
    g_signal_handler_disconnect(grid->clock, grid->painted);
    g_clear_object(&grid->clock);
}

static void scaled(GObject *object, GParamSpec *property, Grid *grid) {
    (void)object;
    (void)property;
    if (grid->attached) grid->callbacks.scaled(grid->callbacks.context);
}

void *calotype_gtk_grid_new(const calotype_gtk_grid_callbacks *callbacks, int cell_width) {
    Grid *grid = g_rc_box_new0(Grid);
    grid->callbacks = *callbacks;
    grid->attached = true;
    grid->cell_width = cell_width;

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
    GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
    gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE);
    g_signal_connect(wheel, "scroll", G_CALLBACK(turned), grid);
    gtk_widget_add_controller(window, wheel);
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(window));
    g_signal_connect(adjustment, "value-changed", G_CALLBACK(scrolled), grid);
    g_signal_connect(adjustment, "changed", G_CALLBACK(scrolled), grid);
    // Kept by every object whose signals use it, since any of them may be the last to go.
    g_object_set_data_full(G_OBJECT(window), "calotype-grid", grid, g_rc_box_release);
    g_object_set_data_full(G_OBJECT(factory), "calotype-grid", g_rc_box_acquire(grid), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(grid->view), "calotype-grid", g_rc_box_acquire(grid), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(wheel), "calotype-grid", g_rc_box_acquire(grid), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(adjustment), "calotype-grid", g_rc_box_acquire(grid), g_rc_box_release);
    return window;
}

void calotype_gtk_grid_detach(void *widget) { parts(widget)->attached = false; }

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
    GtkAdjustment *adjustment = offset(parts(widget));
    *maximum = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment);
    return gtk_adjustment_get_value(adjustment);
}

void calotype_gtk_grid_set_offset(void *widget, double value) {
    gtk_adjustment_set_value(offset(parts(widget)), value);
}

void calotype_gtk_grid_focus(void *widget) { gtk_widget_grab_focus(GTK_WIDGET(parts(widget)->view)); }

#endif
