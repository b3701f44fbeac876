#ifndef CCALOTYPE_GTK_LIST_H
#define CCALOTYPE_GTK_LIST_H

#include "CCalotypeGTK.h"
#include "cells.h"

/// The state of a list. list.c makes it, list_cells.c makes and binds its cells, list_input.c handles clicks, keys and the mouse
/// wheel, list_items.c changes items and selection, list_scroll.c scrolls, and list_frames.c does the work of each frame.
typedef struct {
    calotype_gtk_list_callbacks callbacks;
    /// Whether the callbacks may be called.
    bool is_attached;
    /// The GtkScrolledWindow, and the GtkGridView or GtkListView in it.
    GtkWidget *window, *view;
    /// The view if it is a GtkGridView, or NULL.
    GtkGridView *grid;
    GtkStringList *items;
    /// A GtkSingleSelection, or a GtkMultiSelection.
    GtkSelectionModel *selection;
    Cells *cells;
    /// The width of a cell's image, and that of a column with GTK's padding: 0 until the first cell is laid out.
    int cell_width, column_width;
    /// Whether cells may have moved since the last update.
    bool needs_update;
    /// Whether the last update left cells for the next frame.
    bool has_unfinished_cells;
    /// Whether the view has been laid out, so that it can be scrolled.
    bool is_laid_out;
    /// The steps of the mouse wheel by which to scroll in the next frame.
    double wheel_steps;
    /// The offset to scroll to in the next frame, or NAN.
    double wanted_offset;
    /// The position to scroll on screen in the next frame, or GTK_INVALID_LIST_POSITION.
    guint wanted_position;
    /// The upper edge that the cell of `wanted_position` shall have, or NAN to scroll as little as possible.
    double wanted_top;
    /// Whether GTK has been asked to scroll to `wanted_position`.
    bool has_asked_gtk;
    /// The position to which to move the focus, or GTK_INVALID_LIST_POSITION.
    guint wanted_focus;
    /// The position on which the mouse button was pressed, or GTK_INVALID_LIST_POSITION.
    guint pressed_position;
    GdkFrameClock *clock;
} List;

/// The list of a GtkScrolledWindow that `calotype_gtk_list_new` returned.
List *calotype_list_of(void *widget);
/// Keeps the list alive as long as `object`, whose signals use it. Any of these objects may be the last to be freed.
void calotype_list_keep(List *list, GObject *object);

/// The first selected position, or GTK_INVALID_LIST_POSITION.
guint calotype_list_selected(List *list);
/// Selects only one position.
void calotype_list_select_only(List *list, guint position);

// list_cells.c

/// Makes, binds, unbinds and drops the cells of a list.
GtkListItemFactory *calotype_list_factory_new(List *list);

// list_input.c

/// Activates positions by click, if only one can be selected, and by the return key.
void calotype_list_watch_activation(List *list);
/// Sums up the steps of the mouse wheel until the next frame.
void calotype_list_watch_wheel(List *list);
/// Scrolls to the first or last position by the keys Home and End, even if it has the focus already.
void calotype_list_watch_keys(List *list);

// list_items.c

/// Makes the items and their selection.
void calotype_list_add_items(List *list, bool selects_several);

// list_scroll.c

/// Scrolls the list in the next frame. All scrolling waits for it: GtkGridView (4.8) loses its place, or ends the program with a
/// failed assertion, when it is scrolled twice without a layout in between.
void calotype_list_scroll_soon(List *list);
/// Scrolls by the requests since the last frame. Returns whether another layout is needed.
bool calotype_list_scroll(List *list);
/// Scrolls a position on screen in the next frame, to the upper edge `top`, or for NAN as little as possible.
void calotype_list_request_position(List *list, guint position, double top);
/// Scrolls to the wanted position after a layout. Returns whether another layout is needed.
bool calotype_list_go_to_position(List *list);

// list_frames.c

/// Updates the cells in the next frame, after the layout has placed them.
void calotype_list_update_soon(List *list);
/// Connects the list to the frame clock of a new view.
void calotype_list_watch_frames(List *list);
/// Limits the columns to those that fit, so that the grid, in the middle of the window, has no gaps between its cells. GTK keeps
/// cells for thirty rows of the maximum number of columns, so that a higher limit would cost thousands of cells.
void calotype_list_fit_columns(List *list);
/// Moves the keyboard focus to a cell.
void calotype_list_focus_cell(List *list, Cell *cell);

#endif
