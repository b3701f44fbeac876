#ifndef CCALOTYPE_GTK_CELLS_H
#define CCALOTYPE_GTK_CELLS_H

#include <gtk/gtk.h>
#include <stdbool.h>

/// A cell of a list: what the list's callbacks identify it by, and the widget inside GTK's own cell widget.
typedef struct {
    void *owner;
    GtkWidget *widget;
    /// `GTK_INVALID_LIST_POSITION` while it is not bound.
    guint position;
    /// As of the last `cells_update_on_screen`.
    bool is_on_screen;
} Cell;

/// An array of Cell. GTK keeps hundreds more cells than it shows.
typedef GPtrArray Cells;

Cells *cells_new(void);
Cell *cells_add(Cells *cells);
/// Removes a cell and frees it.
void cells_remove(Cells *cells, Cell *cell);
/// Sets the position of a cell: `GTK_INVALID_LIST_POSITION` unbinds it.
void cell_bind(Cell *cell, guint position);
/// Where a cell lies in the list's window as of the last layout: its upper edge and its height. False if it has no place.
bool cell_place(const Cell *cell, GtkWidget *window, double *top, double *height);
/// The cell that is bound to a position, or NULL.
Cell *cells_at(const Cells *cells, guint position);
/// The bound cell in one of GTK's cell widgets, or NULL.
Cell *cells_of(const Cells *cells, GtkWidget *widget);
/// The first cell that is on screen as a whole, or else the first one that is on screen in part, or NULL.
Cell *cells_first(const Cells *cells, GtkWidget *window);
/// Finds out which cells are on screen, and calls `report` for those that came on screen or left it.
void cells_update_on_screen(const Cells *cells, GtkWidget *window,
                            void (*report)(void *context, void *owner, bool is_on_screen), void *context);

#endif
