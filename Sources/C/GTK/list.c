#ifdef GTK

#include "list.h"

#include <math.h>

List *calotype_list_of(void *widget) { return g_object_get_data(G_OBJECT(widget), "calotype-list"); }

static void clear(gpointer data) {
    List *list = data;
    g_ptr_array_unref(list->cells);
    // The selection does not keep the list, which keeps the selection.
    g_signal_handlers_disconnect_by_data(list->selection, list);
    g_object_unref(list->selection);
}

static void release(gpointer list) { g_rc_box_release_full(list, clear); }

void calotype_list_keep(List *list, GObject *object) {
    g_object_set_data_full(object, "calotype-list", g_rc_box_acquire(list), release);
}

static void scale_changed(List *list) {
    if (!list->is_attached) return;
    list->callbacks.scaled(list->callbacks.context);
    calotype_list_update_soon(list);
}

static void make_view(List *list, bool has_columns) {
    GtkListItemFactory *factory = calotype_list_factory_new(list);
    GtkSelectionModel *items = g_object_ref(list->selection);
    list->view = has_columns ? gtk_grid_view_new(items, factory) : gtk_list_view_new(items, factory);
    list->grid = has_columns ? GTK_GRID_VIEW(list->view) : NULL;
    list->is_laid_out = false;
    list->column_width = 0;
    bool selects_several = GTK_IS_MULTI_SELECTION(list->selection);
    if (!list->grid) gtk_list_view_set_enable_rubberband(GTK_LIST_VIEW(list->view), selects_several);
    if (list->grid) {
        gtk_grid_view_set_enable_rubberband(list->grid, selects_several);
        gtk_grid_view_set_min_columns(list->grid, 1);
        gtk_grid_view_set_max_columns(list->grid, 4);
        // Otherwise, the columns would share the whole width, with gaps between the cells.
        gtk_widget_set_halign(list->view, GTK_ALIGN_CENTER);
    }
    g_signal_connect_swapped(list->view, "notify::scale-factor", G_CALLBACK(scale_changed), list);
    calotype_list_watch_frames(list);
    calotype_list_keep(list, G_OBJECT(list->view));
    calotype_list_watch_activation(list);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(list->window), list->view);
    calotype_list_fit_columns(list);
}

void *calotype_gtk_list_new(const calotype_gtk_list_callbacks *callbacks, int cell_width, bool has_columns,
                            bool selects_several) {
    List *list = g_rc_box_new0(List);
    list->callbacks = *callbacks;
    list->is_attached = true;
    list->cell_width = cell_width;
    list->wanted_offset = NAN;
    list->wanted_position = list->wanted_focus = GTK_INVALID_LIST_POSITION;
    list->cells = g_ptr_array_new_with_free_func(g_free);
    calotype_list_add_items(list, selects_several);

    list->window = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(list->window), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    // The background of the view, also beside a grid in its middle.
    gtk_widget_add_css_class(list->window, "view");
    calotype_list_watch_wheel(list);
    calotype_list_watch_keys(list);
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(list->window));
    g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(calotype_list_update_soon), list);
    g_signal_connect_swapped(adjustment, "changed", G_CALLBACK(calotype_list_update_soon), list);
    calotype_list_keep(list, G_OBJECT(list->window));
    calotype_list_keep(list, G_OBJECT(adjustment));
    make_view(list, has_columns);
    release(list);
    return list->window;
}

void calotype_gtk_list_set_columns(void *widget, bool has_columns) {
    List *list = calotype_list_of(widget);
    Cell *chosen = cells_at(list->cells, calotype_list_selected(list));
    double top, height, page = gtk_widget_get_height(widget);
    // The selected cell keeps its place. If it is not on screen, the first cell on screen does.
    if (!chosen || !cell_place(chosen, widget, &top, &height) || top < 0 || top + height > page) {
        chosen = cells_first(list->cells, widget);
    }
    if (list->wanted_position == GTK_INVALID_LIST_POSITION) {
        if (chosen && cell_place(chosen, widget, &top, &height)) calotype_list_request_position(list, chosen->position, top);
        else calotype_list_request_position(list, calotype_list_selected(list), NAN);
    }
    GtkRoot *root = gtk_widget_get_root(list->view);
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    bool had_focus = focus && (focus == list->view || gtk_widget_is_ancestor(focus, list->view));
    // Without this, GTK would move the focus to another widget and select the first cell.
    if (had_focus) gtk_root_set_focus(root, NULL);
    make_view(list, has_columns);
    if (had_focus) list->wanted_focus = list->wanted_position;
    if (had_focus && list->wanted_focus == GTK_INVALID_LIST_POSITION) gtk_widget_grab_focus(list->view);
}

void calotype_gtk_list_detach(void *widget) { calotype_list_of(widget)->is_attached = false; }

void calotype_gtk_list_update_soon(void *widget) { calotype_list_update_soon(calotype_list_of(widget)); }

void calotype_gtk_list_focus(void *widget) {
    List *list = calotype_list_of(widget);
    guint position = calotype_list_selected(list);
    Cell *cell = cells_at(list->cells, position);
    if (position == GTK_INVALID_LIST_POSITION) {
        gtk_widget_grab_focus(list->view);
    } else if (cell && list->is_laid_out && list->wanted_position == GTK_INVALID_LIST_POSITION) {
        calotype_list_focus_cell(list, cell);
    } else {
        // The focus moves as soon as the position has a cell.
        list->wanted_focus = position;
        calotype_list_request_position(list, position, NAN);
    }
}

#endif
