#ifdef GTK

#include "cells.h"

Cell *cells_add(Cells *cells) {
    Cell *cell = g_new0(Cell, 1);
    cell->position = GTK_INVALID_LIST_POSITION;
    g_ptr_array_add(cells, cell);
    return cell;
}

void cell_bind(Cell *cell, guint position) {
    cell->position = position;
    cell->is_on_screen = false;
}

bool cell_place(const Cell *cell, GtkWidget *window, double *top, double *height) {
    // Cells that GTK keeps in reserve are not mapped and have no bounds.
    if (cell->position == GTK_INVALID_LIST_POSITION || !gtk_widget_get_mapped(cell->widget)) return false;
    graphene_rect_t place;
    // The bounds of GTK's cell widget, which is as high as the row.
    if (!gtk_widget_compute_bounds(gtk_widget_get_parent(cell->widget), window, &place)) return false;
    *top = place.origin.y;
    *height = place.size.height;
    return true;
}

Cell *cells_at(const Cells *cells, guint position) {
    if (position == GTK_INVALID_LIST_POSITION) return NULL;
    for (guint i = 0; i < cells->len; i++) {
        Cell *cell = g_ptr_array_index(cells, i);
        if (cell->position == position) return cell;
    }
    return NULL;
}

Cell *cells_of(const Cells *cells, GtkWidget *widget) {
    for (guint i = 0; i < cells->len; i++) {
        Cell *cell = g_ptr_array_index(cells, i);
        bool is_bound = cell->position != GTK_INVALID_LIST_POSITION;
        if (is_bound && gtk_widget_get_parent(cell->widget) == widget) return cell;
    }
    return NULL;
}

Cell *cells_first(const Cells *cells, GtkWidget *window) {
    Cell *first = NULL, *first_whole = NULL;
    double top, height;
    for (guint i = 0; i < cells->len; i++) {
        Cell *cell = g_ptr_array_index(cells, i);
        if (!cell->is_on_screen || !cell_place(cell, window, &top, &height)) continue;
        if (!first || cell->position < first->position) first = cell;
        if (top >= 0 && (!first_whole || cell->position < first_whole->position)) first_whole = cell;
    }
    return first_whole ? first_whole : first;
}

void cells_update_on_screen(const Cells *cells, GtkWidget *window,
                            void (*report)(void *context, void *owner, bool is_on_screen), void *context) {
    double page = gtk_widget_get_height(window), top, height;
    for (guint i = 0; i < cells->len; i++) {
        Cell *cell = g_ptr_array_index(cells, i);
        bool is_on_screen = cell_place(cell, window, &top, &height) && top < page && top + height > 0;
        if (cell->is_on_screen == is_on_screen) continue;
        cell->is_on_screen = is_on_screen;
        report(context, cell->owner, is_on_screen);
    }
}

#endif
