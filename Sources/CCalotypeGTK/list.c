#ifdef GTK

#include "turns.h"

#include <gtk/gtk.h>
#include <math.h>

typedef struct {
    calotype_gtk_list_callbacks callbacks;
    bool attached;
    GtkWidget *view;
    // The same where cells stand in columns, and NULL where they are rows.
    GtkGridView *grid;
    GtkStringList *items;
    int cell_width;
    // Whether cells may have moved since the list looked at them last, and whether it left some for the next frame.
    bool moved, is_unfinished;
    // Turns of the wheel that wait for the next frame.
    double turned;
    GdkFrameClock *clock;
    gulong updated, laid_out, painted;
} List;

static List *parts(void *widget) { return g_object_get_data(G_OBJECT(widget), "calotype-list"); }

// Cells have their places once a frame is laid out: then is the time to look, before it is painted.
static void look_again(List *list) {
    list->moved = true;
    if (list->clock) gdk_frame_clock_request_phase(list->clock, GDK_FRAME_CLOCK_PHASE_LAYOUT);
}

static const char cell_key[] = "calotype-cell";

static void setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    if (!list->attached) return;
    void *widget = NULL;
    void *cell = NULL;
    TURN(MAKE_CELL, cell = list->callbacks.make_cell(list->callbacks.context, &widget));
    g_object_set_data(G_OBJECT(item), cell_key, cell);
    gtk_list_item_set_child(item, GTK_WIDGET(widget));
}

static void bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    if (!list->attached || !cell) return;
    TURN(BIND, list->callbacks.bind(list->callbacks.context, cell, gtk_list_item_get_position(item)));
    look_again(list);
}

static void unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    if (list->attached && cell) TURN(UNBIND, list->callbacks.unbind(list->callbacks.context, cell));
}

static void teardown_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    void *cell = g_object_get_data(G_OBJECT(item), cell_key);
    g_object_set_data(G_OBJECT(item), cell_key, NULL);
    gtk_list_item_set_child(item, NULL);
    if (list->attached && cell) TURN(OTHER, list->callbacks.drop_cell(list->callbacks.context, cell));
}

static void activated(GtkWidget *view, guint position, List *list) {
    (void)view;
    if (list->attached) TURN(OTHER, list->callbacks.activate(list->callbacks.context, position));
}

static void scrolled(GtkAdjustment *adjustment, List *list) {
    (void)adjustment;
    look_again(list);
}

static GtkAdjustment *offset(List *list) { return gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(list->view)); }

// Turns that come within one frame are taken together: GtkGridView (4.8) loses its place, or ends the program by an assertion,
// when it is scrolled twice without a layout in between. What is no wheel has its own way, one event in a frame.
static gboolean turned(GtkEventControllerScroll *controller, double dx, double dy, List *list) {
    (void)dx;
#if GTK_CHECK_VERSION(4, 8, 0)
    if (gtk_event_controller_scroll_get_unit(controller) != GDK_SCROLL_UNIT_WHEEL) return FALSE;
#else
    (void)controller;
#endif
    if (!list->clock) return FALSE;
    list->turned += dy;
    gdk_frame_clock_request_phase(list->clock, GDK_FRAME_CLOCK_PHASE_UPDATE);
    return TRUE;
}

static void updated(GdkFrameClock *clock, List *list) {
    (void)clock;
    if (list->turned == 0) return;
    // One turn goes as far as GTK's own scrolling does.
    double step = pow(gtk_adjustment_get_page_size(offset(list)), 2.0 / 3.0);
    gtk_adjustment_set_value(offset(list), gtk_adjustment_get_value(offset(list)) + list->turned * step);
    list->turned = 0;
}

static void laid_out(GdkFrameClock *clock, List *list) {
    (void)clock;
    if (!list->moved || !list->attached) return;
    list->moved = false;
    TURN(MOVED, list->is_unfinished = list->callbacks.moved(list->callbacks.context));
}

// GTK keeps thirty rows of as many cells as there could be columns, so that a generous bound would cost thousands.
static void fit_columns(List *list) {
    if (!list->grid) return;
    int width = gtk_widget_get_width(gtk_widget_get_parent(list->view));
    unsigned columns = (unsigned)CLAMP(width / MAX(1, list->cell_width), 1, 200);
    if (width > 0 && gtk_grid_view_get_max_columns(list->grid) != columns) gtk_grid_view_set_max_columns(list->grid, columns);
}

// After the frame: what changes the layout, and what is left, would be done again and again within it.
static void painted(GdkFrameClock *clock, List *list) {
    (void)clock;
    if (!list->attached) return;
    fit_columns(list);
    if (list->is_unfinished) look_again(list);
    list->is_unfinished = false;
}

static void realized(GtkWidget *widget, List *list) {
    list->clock = g_object_ref(gtk_widget_get_frame_clock(widget));
    list->updated = g_signal_connect(list->clock, "update", G_CALLBACK(updated), list);
    // After GTK's own handler, which lays out.
    list->laid_out = g_signal_connect_after(list->clock, "layout", G_CALLBACK(laid_out), list);
    list->painted = g_signal_connect(list->clock, "after-paint", G_CALLBACK(painted), list);
    look_again(list);
}

static void unrealized(GtkWidget *widget, List *list) {
    (void)widget;
    if (!list->clock) return;
    g_signal_handler_disconnect(list->clock, list->updated);
    g_signal_handler_disconnect(list->clock, list->laid_out);
    g_signal_handler_disconnect(list->clock, list->painted);
    g_clear_object(&list->clock);
}

static void scaled(GObject *object, GParamSpec *property, List *list) {
    (void)object;
    (void)property;
    if (list->attached) TURN(OTHER, list->callbacks.scaled(list->callbacks.context));
}

static void make_grid(List *list, GtkSelectionModel *items, GtkListItemFactory *factory) {
    list->view = gtk_grid_view_new(items, factory);
    list->grid = GTK_GRID_VIEW(list->view);
    gtk_grid_view_set_min_columns(list->grid, 1);
    gtk_grid_view_set_max_columns(list->grid, 4);
    gtk_grid_view_set_single_click_activate(list->grid, TRUE);
}

static void make_rows(List *list, GtkSelectionModel *items, GtkListItemFactory *factory) {
    list->view = gtk_list_view_new(items, factory);
    gtk_list_view_set_single_click_activate(GTK_LIST_VIEW(list->view), TRUE);
}

void *calotype_gtk_list_new(const calotype_gtk_list_callbacks *callbacks, int cell_width, bool has_columns) {
    List *list = g_rc_box_new0(List);
    list->callbacks = *callbacks;
    list->attached = true;
    list->cell_width = cell_width;

    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), list);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), list);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), list);
    g_signal_connect(factory, "teardown", G_CALLBACK(teardown_cell), list);

    list->items = gtk_string_list_new(NULL);
    GtkSelectionModel *selection = GTK_SELECTION_MODEL(gtk_single_selection_new(G_LIST_MODEL(list->items)));
    (has_columns ? make_grid : make_rows)(list, selection, factory);
    g_signal_connect(list->view, "activate", G_CALLBACK(activated), list);
    g_signal_connect(list->view, "realize", G_CALLBACK(realized), list);
    g_signal_connect(list->view, "unrealize", G_CALLBACK(unrealized), list);
    g_signal_connect(list->view, "notify::scale-factor", G_CALLBACK(scaled), list);

    GtkWidget *window = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(window), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(window), list->view);
    GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
    gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE);
    g_signal_connect(wheel, "scroll", G_CALLBACK(turned), list);
    gtk_widget_add_controller(window, wheel);
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(window));
    g_signal_connect(adjustment, "value-changed", G_CALLBACK(scrolled), list);
    g_signal_connect(adjustment, "changed", G_CALLBACK(scrolled), list);
    // Kept by every object whose signals use it, since any of them may be the last to go.
    g_object_set_data_full(G_OBJECT(window), "calotype-list", list, g_rc_box_release);
    g_object_set_data_full(G_OBJECT(factory), "calotype-list", g_rc_box_acquire(list), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(list->view), "calotype-list", g_rc_box_acquire(list), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(wheel), "calotype-list", g_rc_box_acquire(list), g_rc_box_release);
    g_object_set_data_full(G_OBJECT(adjustment), "calotype-list", g_rc_box_acquire(list), g_rc_box_release);
    return window;
}

void calotype_gtk_list_detach(void *widget) { parts(widget)->attached = false; }

void calotype_gtk_list_set_count(void *widget, unsigned count) {
    List *list = parts(widget);
    guint old = g_list_model_get_n_items(G_LIST_MODEL(list->items));
    const char **additions = g_new0(const char *, (size_t)count + 1);
    // Items need only be told apart by their positions.
    for (unsigned i = 0; i < count; i++) additions[i] = "";
    gtk_string_list_splice(list->items, 0, old, additions);
    g_free((gpointer)additions);
}

double calotype_gtk_list_offset(void *widget, double *maximum) {
    GtkAdjustment *adjustment = offset(parts(widget));
    *maximum = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment);
    return gtk_adjustment_get_value(adjustment);
}

void calotype_gtk_list_set_offset(void *widget, double value) {
    gtk_adjustment_set_value(offset(parts(widget)), value);
}

void *calotype_gtk_row_new(void *view) {
    GtkBox *row = GTK_BOX(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12));
    gtk_box_append(row, GTK_WIDGET(view));
    GtkWidget *title = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(title), PANGO_ELLIPSIZE_END);
    gtk_label_set_xalign(GTK_LABEL(title), 0);
    gtk_widget_set_hexpand(title, TRUE);
    gtk_box_append(row, title);
    return row;
}

void calotype_gtk_row_set_title(void *row, const char *title) {
    gtk_label_set_text(GTK_LABEL(gtk_widget_get_last_child(GTK_WIDGET(row))), title);
}

void calotype_gtk_list_focus(void *widget) { gtk_widget_grab_focus(parts(widget)->view); }

#endif
