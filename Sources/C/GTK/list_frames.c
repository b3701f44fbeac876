#ifdef GTK

#include "list.h"

void calotype_list_update_soon(List *list) {
    list->needs_update = true;
    if (list->clock) gdk_frame_clock_request_phase(list->clock, GDK_FRAME_CLOCK_PHASE_LAYOUT);
}

void calotype_list_fit_columns(List *list) {
    if (!list->grid) return;
    Cell *cell = list->column_width ? NULL : cells_first(list->cells, list->window);
    if (cell) {
        GtkWidget *item = gtk_widget_get_parent(cell->widget);
        gtk_widget_measure(item, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &list->column_width, NULL, NULL);
    }
    int width = gtk_widget_get_width(list->window);
    unsigned columns = (unsigned)CLAMP(width / MAX(1, MAX(list->cell_width, list->column_width)), 1, 200);
    if (width > 0 && gtk_grid_view_get_max_columns(list->grid) != columns) gtk_grid_view_set_max_columns(list->grid, columns);
}

void calotype_list_focus_cell(List *list, Cell *cell) {
    GtkWidget *item = gtk_widget_get_parent(cell->widget);
    list->wanted_focus = GTK_INVALID_LIST_POSITION;
    if (item) gtk_widget_grab_focus(item);
}

static void report_on_screen(void *context, void *cell, bool is_on_screen) {
    List *list = context;
    list->callbacks.set_on_screen(list->callbacks.context, cell, is_on_screen);
}

static void update(List *list) {
    if (list->is_laid_out) calotype_list_scroll(list);
}

static void layout(List *list) {
    if (!list->is_attached || !gtk_widget_get_mapped(list->view)) return;
    bool is_first_layout = !list->is_laid_out;
    list->is_laid_out = true;
    // If another layout follows, it may replace the cells, so that they are updated after it.
    if ((is_first_layout && calotype_list_scroll(list)) || calotype_list_go_to_position(list)) {
        calotype_list_update_soon(list);
        return;
    }
    if (!list->needs_update) return;
    list->needs_update = false;
    cells_update_on_screen(list->cells, list->window, report_on_screen, list);
    list->has_unfinished_cells = list->callbacks.update_cells(list->callbacks.context);
}

// Changes of the layout and unfinished cells wait until the frame is painted. Before that, GTK would lay out the same frame again
// and again.
static void after_paint(List *list) {
    if (!list->is_attached) return;
    calotype_list_fit_columns(list);
    Cell *focused = cells_at(list->cells, list->wanted_focus);
    if (focused && gtk_widget_get_mapped(list->view)) calotype_list_focus_cell(list, focused);
    if (list->has_unfinished_cells) calotype_list_update_soon(list);
    list->has_unfinished_cells = false;
}

// When the list is hidden, no cell is on screen.
static void unmapped(List *list) {
    if (list->is_attached) cells_update_on_screen(list->cells, list->window, report_on_screen, list);
    list->needs_update = true;
}

static void realized(List *list) {
    list->clock = g_object_ref(gtk_widget_get_frame_clock(list->view));
    g_signal_connect_swapped(list->clock, "update", G_CALLBACK(update), list);
    // GTK's own handler, which lays out, runs first.
    g_signal_connect_data(list->clock, "layout", G_CALLBACK(layout), list, NULL, G_CONNECT_AFTER | G_CONNECT_SWAPPED);
    g_signal_connect_swapped(list->clock, "after-paint", G_CALLBACK(after_paint), list);
    calotype_list_update_soon(list);
}

static void unrealized(List *list) {
    if (!list->clock) return;
    g_signal_handlers_disconnect_by_data(list->clock, list);
    g_clear_object(&list->clock);
}

void calotype_list_watch_frames(List *list) {
    g_signal_connect_swapped(list->view, "realize", G_CALLBACK(realized), list);
    g_signal_connect_swapped(list->view, "unrealize", G_CALLBACK(unrealized), list);
    g_signal_connect_swapped(list->view, "map", G_CALLBACK(calotype_list_update_soon), list);
    g_signal_connect_swapped(list->view, "unmap", G_CALLBACK(unmapped), list);
}

#endif
