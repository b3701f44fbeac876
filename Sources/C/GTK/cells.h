#ifndef CCALOTYPE_GTK_CELLS_H
#define CCALOTYPE_GTK_CELLS_H

#include <gtk/gtk.h>
#include <stdbool.h>

/// A cell of a list: what the list's owner knows it by, and the widget that it put into the list's own.
typedef struct {
    void *owner;
    GtkWidget *widget;
    /// `GTK_INVALID_LIST_POSITION` while it is not bound.
    guint position;
    /// As of the last look.
    bool is_on_screen;
} Cell;

/// Of Cell. GTK keeps hundreds more than it shows.
typedef GPtrArray Cells;

Cells *cells_new(void);
Cell *cells_add(Cells *cells);
/// Frees it.
void cells_remove(Cells *cells, Cell *cell);
/// A position for a cell that comes into use, `GTK_INVALID_LIST_POSITION` for one that waits for its next.
void cell_bind(Cell *cell, guint position);
/// Where a cell lies in the list's window as it was last laid out: its upper edge and its height. False where it has no place.
bool cell_place(const Cell *cell, GtkWidget *window, double *top, double *height);
/// The cell that is bound to a position, or NULL.
Cell *cells_at(const Cells *cells, guint position);
/// The bound cell that lies in a widget of the list's, or NULL.
Cell *cells_of(const Cells *cells, GtkWidget *widget);
/// The first cell that is on screen, as a whole where there is such a one, or NULL.
Cell *cells_first(const Cells *cells, GtkWidget *window);
/// Finds out which cells are on screen, and tells of those for which that has changed.
void cells_look(const Cells *cells, GtkWidget *window, void (*tell)(void *context, void *owner, bool is_on_screen), void *context);

#endif
