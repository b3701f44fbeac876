#ifdef GTK

#include "CCalotypeGTK.h"
#include "cells.h"

#include <math.h>

typedef struct {
    calotype_gtk_list_callbacks callbacks;
    bool attached;
    // The GtkScrolledWindow, and what is in it.
    GtkWidget *window, *view;
    // The same where cells stand in columns, and NULL where they are rows.
    GtkGridView *grid;
    GtkStringList *items;
    GtkSingleSelection *selection;
    Cells *cells;
    int cell_width;
    // Whether cells may have moved since the list looked at them last, and whether it left some for the next frame.
    bool moved, is_unfinished;
    // Whether the view has been laid out, so that there are places to scroll to.
    bool has_places;
    // What waits for the next frame: turns of the wheel; an offset, NAN for none;
    double turned, offset;
    // a position that shall come on screen, at a height or, for NAN, wherever it is easiest, and whether GTK was asked for it;
    guint position;
    double height;
    bool is_asked;
    // and one that shall have the focus.
    guint focus;
    // Where the button went down.
    guint pressed;
    GdkFrameClock *clock;
    gulong updated, laid_out, painted;
} List;

static List *parts(void *widget) { return g_object_get_data(G_OBJECT(widget), "calotype-list"); }

static void clear(gpointer data) {
    List *list = data;
    g_ptr_array_unref(list->cells);
    g_object_unref(list->selection);
}

static void release(gpointer list) { g_rc_box_release_full(list, clear); }

// The list is kept by every object whose signals use it, since any of them may be the last to go.
static void keep(GObject *object, List *list) {
    g_object_set_data_full(object, "calotype-list", g_rc_box_acquire(list), release);
}

// Cells have their places once a frame is laid out: then is the time to look, before it is painted.
static void look_again(List *list) {
    list->moved = true;
    if (list->clock) gdk_frame_clock_request_phase(list->clock, GDK_FRAME_CLOCK_PHASE_LAYOUT);
}

static const char cell_key[] = "calotype-cell";

static Cell *cell_of(GtkListItem *item) { return g_object_get_data(G_OBJECT(item), cell_key); }

static void activate(List *list, guint position) {
    if (list->attached) list->callbacks.activate(list->callbacks.context, position);
}

static guint position_at(List *list, double x, double y) {
    GtkWidget *widget = gtk_widget_pick(list->view, x, y, GTK_PICK_DEFAULT);
    while (widget && gtk_widget_get_parent(widget) != list->view) widget = gtk_widget_get_parent(widget);
    Cell *cell = widget ? cells_of(list->cells, widget) : NULL;
    return cell ? cell->position : GTK_INVALID_LIST_POSITION;
}

static void pressed(GtkGestureClick *click, int count, double x, double y, List *list) {
    list->pressed = position_at(list, x, y);
    // At the second one GTK would activate by itself.
    if (count > 1) gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void released(GtkGestureClick *click, int count, double x, double y, List *list) {
    (void)click;
    guint position = position_at(list, x, y);
    if (count != 1 || position == GTK_INVALID_LIST_POSITION || position != list->pressed) return;
    gtk_single_selection_set_selected(list->selection, position);
    activate(list, position);
}

// A click activates. GTK's own way to that (single-click-activate) selects whatever lies under the pointer, also when it is the
// keyboard that scrolls, so that the arrow keys would lose their place.
static void watch_clicks(List *list) {
    GtkGesture *click = gtk_gesture_click_new();
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
    g_signal_connect(click, "pressed", G_CALLBACK(pressed), list);
    g_signal_connect(click, "released", G_CALLBACK(released), list);
    keep(G_OBJECT(click), list);
    gtk_widget_add_controller(list->view, GTK_EVENT_CONTROLLER(click));
}

static void setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    if (!list->attached) return;
    Cell *cell = cells_add(list->cells);
    void *widget = NULL;
    cell->owner = list->callbacks.make_cell(list->callbacks.context, &widget);
    cell->widget = widget;
    g_object_set_data(G_OBJECT(item), cell_key, cell);
    gtk_list_item_set_child(item, cell->widget);
}

static void bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    Cell *cell = cell_of(item);
    if (!list->attached || !cell) return;
    cell_bind(cell, gtk_list_item_get_position(item));
    list->callbacks.bind(list->callbacks.context, cell->owner, cell->position);
    look_again(list);
}

static void unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    Cell *cell = cell_of(item);
    if (!cell) return;
    cell_bind(cell, GTK_INVALID_LIST_POSITION);
    if (list->attached) list->callbacks.unbind(list->callbacks.context, cell->owner);
}

static void teardown_cell(GtkSignalListItemFactory *factory, GtkListItem *item, List *list) {
    (void)factory;
    Cell *cell = cell_of(item);
    g_object_set_data(G_OBJECT(item), cell_key, NULL);
    gtk_list_item_set_child(item, NULL);
    if (!cell) return;
    if (list->attached) list->callbacks.drop_cell(list->callbacks.context, cell->owner);
    cells_remove(list->cells, cell);
}

static void activated(GtkWidget *view, guint position, List *list) {
    (void)view;
    activate(list, position);
}

static void scrolled(GtkAdjustment *adjustment, List *list) {
    (void)adjustment;
    look_again(list);
}

static GtkAdjustment *adjustment(List *list) { return gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(list->view)); }

// What scrolls waits for a frame, and is taken together: GtkGridView (4.8) loses its place, or ends the program by an assertion,
// when it is scrolled twice without a layout in between.
static void scroll_soon(List *list) {
    if (list->clock) gdk_frame_clock_request_phase(list->clock, GDK_FRAME_CLOCK_PHASE_UPDATE);
}

// What is no wheel has its own way, one event in a frame.
static gboolean turned(GtkEventControllerScroll *controller, double dx, double dy, List *list) {
    (void)dx;
#if GTK_CHECK_VERSION(4, 8, 0)
    if (gtk_event_controller_scroll_get_unit(controller) != GDK_SCROLL_UNIT_WHEEL) return FALSE;
#else
    (void)controller;
#endif
    if (!list->clock) return FALSE;
    list->turned += dy;
    scroll_soon(list);
    return TRUE;
}

static bool scroll_to(List *list, double value) {
    double before = gtk_adjustment_get_value(adjustment(list));
    gtk_adjustment_set_value(adjustment(list), value);
    return gtk_adjustment_get_value(adjustment(list)) != before;
}

// By what was asked for since the last frame. Returns whether it needs another layout.
static bool scroll(List *list) {
    double value = isnan(list->offset) ? gtk_adjustment_get_value(adjustment(list)) : list->offset;
    // One turn goes as far as GTK's own scrolling does.
    value += list->turned * pow(gtk_adjustment_get_page_size(adjustment(list)), 2.0 / 3.0);
    list->turned = 0;
    list->offset = NAN;
    return scroll_to(list, value);
}

static void updated(GdkFrameClock *clock, List *list) {
    (void)clock;
    if (list->has_places) scroll(list);
}

static void want(List *list, guint position, double height) {
    list->position = position;
    list->height = height;
    list->is_asked = false;
    list->offset = NAN;
    look_again(list);
}

// Brings the position that is wanted on screen, after a layout, and in steps that need another one each. Returns whether there is
// one to come, so that nothing need be done for cells that will not stay.
static bool go_to_position(List *list) {
    guint position = list->position;
    if (position == GTK_INVALID_LIST_POSITION) return false;
    Cell *cell = cells_at(list->cells, position);
    double top, height, page = gtk_widget_get_height(list->window);
    if (cell && cell_place(cell, list->window, &top, &height)) {
        list->position = GTK_INVALID_LIST_POSITION;
            double wanted = !isnan(list->height) ? list->height : top < 0 ? 0 : MIN(top, MAX(0, page - height));
        return scroll_to(list, gtk_adjustment_get_value(adjustment(list)) + top - wanted);
    }
    bool asks = !list->is_asked && gtk_widget_activate_action(list->view, "list.scroll-to-item", "u", position);
    list->is_asked = true;
    if (!asks) list->position = GTK_INVALID_LIST_POSITION;
    return asks;
}

static void tell(void *context, void *cell, bool is_on_screen) {
    List *list = context;
    list->callbacks.set_on_screen(list->callbacks.context, cell, is_on_screen);
}

static void laid_out(GdkFrameClock *clock, List *list) {
    (void)clock;
    if (!list->attached || !gtk_widget_get_mapped(list->view)) return;
    bool had_places = list->has_places;
    list->has_places = true;
    if ((!had_places && scroll(list)) || go_to_position(list)) {
        look_again(list);
        return;
    }
    if (!list->moved) return;
    list->moved = false;
    cells_look(list->cells, list->window, tell, list);
    list->is_unfinished = list->callbacks.moved(list->callbacks.context);
}

static void mapped(GtkWidget *widget, List *list) {
    (void)widget;
    look_again(list);
}

// In a page that is not shown, no cell is on screen.
static void unmapped(GtkWidget *widget, List *list) {
    (void)widget;
    if (list->attached) cells_look(list->cells, list->window, tell, list);
    list->moved = true;
}

static void focus_cell(List *list, Cell *cell) {
    GtkWidget *item = gtk_widget_get_parent(cell->widget);
    list->focus = GTK_INVALID_LIST_POSITION;
    if (item) gtk_widget_grab_focus(item);
}

// GTK keeps thirty rows of as many cells as there could be columns, so that a generous bound would cost thousands.
static void fit_columns(List *list) {
    if (!list->grid) return;
    int width = gtk_widget_get_width(list->window);
    unsigned columns = (unsigned)CLAMP(width / MAX(1, list->cell_width), 1, 200);
    if (width > 0 && gtk_grid_view_get_max_columns(list->grid) != columns) gtk_grid_view_set_max_columns(list->grid, columns);
}

// After the frame: what changes the layout, and what is left, would be done again and again within it.
static void painted(GdkFrameClock *clock, List *list) {
    (void)clock;
    if (!list->attached) return;
    fit_columns(list);
    Cell *focused = cells_at(list->cells, list->focus);
    if (focused && gtk_widget_get_mapped(list->view)) focus_cell(list, focused);
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
    if (!list->attached) return;
    list->callbacks.scaled(list->callbacks.context);
    look_again(list);
}

static void make_view(List *list, bool has_columns) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), list);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), list);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), list);
    g_signal_connect(factory, "teardown", G_CALLBACK(teardown_cell), list);
    keep(G_OBJECT(factory), list);

    GtkSelectionModel *items = GTK_SELECTION_MODEL(g_object_ref(list->selection));
    list->view = has_columns ? gtk_grid_view_new(items, factory) : gtk_list_view_new(items, factory);
    list->grid = has_columns ? GTK_GRID_VIEW(list->view) : NULL;
    list->has_places = false;
    if (list->grid) {
        gtk_grid_view_set_min_columns(list->grid, 1);
        gtk_grid_view_set_max_columns(list->grid, 4);
    }
    g_signal_connect(list->view, "activate", G_CALLBACK(activated), list);
    g_signal_connect(list->view, "realize", G_CALLBACK(realized), list);
    g_signal_connect(list->view, "unrealize", G_CALLBACK(unrealized), list);
    g_signal_connect(list->view, "map", G_CALLBACK(mapped), list);
    g_signal_connect(list->view, "unmap", G_CALLBACK(unmapped), list);
    g_signal_connect(list->view, "notify::scale-factor", G_CALLBACK(scaled), list);
    keep(G_OBJECT(list->view), list);
    watch_clicks(list);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(list->window), list->view);
    fit_columns(list);
}

void *calotype_gtk_list_new(const calotype_gtk_list_callbacks *callbacks, int cell_width, bool has_columns) {
    List *list = g_rc_box_new0(List);
    list->callbacks = *callbacks;
    list->attached = true;
    list->cell_width = cell_width;
    list->offset = NAN;
    list->position = list->focus = GTK_INVALID_LIST_POSITION;
    list->cells = cells_new();
    list->items = gtk_string_list_new(NULL);
    list->selection = gtk_single_selection_new(G_LIST_MODEL(list->items));

    list->window = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(list->window), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
    gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE);
    g_signal_connect(wheel, "scroll", G_CALLBACK(turned), list);
    gtk_widget_add_controller(list->window, wheel);
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(list->window));
    g_signal_connect(adjustment, "value-changed", G_CALLBACK(scrolled), list);
    g_signal_connect(adjustment, "changed", G_CALLBACK(scrolled), list);
    keep(G_OBJECT(list->window), list);
    keep(G_OBJECT(wheel), list);
    keep(G_OBJECT(adjustment), list);
    make_view(list, has_columns);
    release(list);
    return list->window;
}

void calotype_gtk_list_set_columns(void *widget, bool has_columns) {
    List *list = parts(widget);
    Cell *chosen = cells_at(list->cells, gtk_single_selection_get_selected(list->selection));
    double top, height, page = gtk_widget_get_height(widget);
    // The chosen cell stays where it is, or the first one where that is not on screen.
    if (!chosen || !cell_place(chosen, widget, &top, &height) || top < 0 || top + height > page) {
        chosen = cells_first(list->cells, widget);
    }
    if (list->position == GTK_INVALID_LIST_POSITION) {
        if (chosen && cell_place(chosen, widget, &top, &height)) want(list, chosen->position, top);
        else want(list, gtk_single_selection_get_selected(list->selection), NAN);
    }
    GtkRoot *root = gtk_widget_get_root(list->view);
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    bool had_focus = focus && (focus == list->view || gtk_widget_is_ancestor(focus, list->view));
    // Else GTK looks for another widget for it, and selects the first cell.
    if (had_focus) gtk_root_set_focus(root, NULL);
    make_view(list, has_columns);
    if (had_focus) list->focus = list->position;
    if (had_focus && list->focus == GTK_INVALID_LIST_POSITION) gtk_widget_grab_focus(list->view);
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

void calotype_gtk_list_look(void *widget) { look_again(parts(widget)); }

double calotype_gtk_list_offset(void *widget, double *maximum) {
    List *list = parts(widget);
    double page = gtk_adjustment_get_page_size(adjustment(list));
    *maximum = MAX(0, gtk_adjustment_get_upper(adjustment(list)) - page);
    return isnan(list->offset) ? gtk_adjustment_get_value(adjustment(list)) : CLAMP(list->offset, 0, *maximum);
}

void calotype_gtk_list_set_offset(void *widget, double value) {
    List *list = parts(widget);
    list->offset = value;
    list->turned = 0;
    list->position = GTK_INVALID_LIST_POSITION;
    scroll_soon(list);
}

unsigned calotype_gtk_list_selected(void *widget) { return gtk_single_selection_get_selected(parts(widget)->selection); }

void calotype_gtk_list_select(void *widget, unsigned position) {
    List *list = parts(widget);
    if (position >= g_list_model_get_n_items(G_LIST_MODEL(list->items))) return;
    gtk_single_selection_set_selected(list->selection, position);
    want(list, position, NAN);
}

void calotype_gtk_list_focus(void *widget) {
    List *list = parts(widget);
    guint position = gtk_single_selection_get_selected(list->selection);
    Cell *cell = cells_at(list->cells, position);
    if (position == GTK_INVALID_LIST_POSITION) {
        gtk_widget_grab_focus(list->view);
    } else if (cell && list->has_places && list->position == GTK_INVALID_LIST_POSITION) {
        focus_cell(list, cell);
    } else {
        // As soon as there is a cell to have it.
        list->focus = position;
        want(list, position, NAN);
    }
}

#endif
