#ifndef CCALOTYPE_GTK_CELLS_H
#define CCALOTYPE_GTK_CELLS_H

#include <gtk/gtk.h>
#include <stdbool.h>

/// A cell of a list: its identity in the list's callbacks, and the widget inside GTK's own cell widget.
typedef struct {
    void *owner;
    GtkWidget *widget;
    /// The position to which it is bound, or `GTK_INVALID_LIST_POSITION`.
    guint position;
    /// Whether it was on screen at the last call of `cells_update_on_screen`.
    bool is_on_screen;
} Cell;

/// An array of Cell, which it frees. GTK keeps hundreds more cells than it shows.
typedef GPtrArray Cells;

Cell *cells_add(Cells *cells);
/// Sets the position of a cell: `GTK_INVALID_LIST_POSITION` unbinds it.
void cell_bind(Cell *cell, guint position);
/// The upper edge and the height of a cell in the list's window, as of the last layout. False if the cell is not laid out.
bool cell_place(const Cell *cell, GtkWidget *window, double *top, double *height);
/// The cell that is bound to a position, or NULL.
Cell *cells_at(const Cells *cells, guint position);
/// The bound cell in one of GTK's cell widgets, or NULL.
Cell *cells_of(const Cells *cells, GtkWidget *widget);
/// The first cell that is on screen as a whole, or else the first one that is on screen in part, or NULL.
Cell *cells_first(const Cells *cells, GtkWidget *window);
/// Updates which cells are on screen, and calls `report` for each cell that came on screen or left it.
void cells_update_on_screen(const Cells *cells, GtkWidget *window,
                            void (*report)(void *context, void *owner, bool is_on_screen), void *context);

#endif
