#ifndef CCALOTYPE_GTK_LIST_H
#define CCALOTYPE_GTK_LIST_H

#include "CCalotypeGTK.h"
#include "cells.h"

/// A list's state, which the files of the list share: list.c builds it, list_cells.c makes and binds its cells, list_input.c
/// handles clicks and the wheel, list_scroll.c scrolls, and list_frames.c does what must happen within a frame.
typedef struct {
    calotype_gtk_list_callbacks callbacks;
    /// Whether the callbacks may be called.
    bool is_attached;
    /// The GtkScrolledWindow, and the GtkGridView or GtkListView in it.
    GtkWidget *window, *view;
    /// The view if it has columns, or else NULL.
    GtkGridView *grid;
    GtkStringList *items;
    GtkSingleSelection *selection;
    Cells *cells;
    int cell_width;
    /// Whether cells may have moved since the last update, and whether that update left some for the next frame.
    bool needs_update, has_unfinished_cells;
    /// Whether the view has been laid out, so that it can be scrolled.
    bool is_laid_out;
    /// To do in the next frame: steps of the wheel to scroll by; an offset to scroll to, or NAN;
    double wheel_steps, wanted_offset;
    /// a position to bring on screen, or GTK_INVALID_LIST_POSITION; the height to bring it to, or NAN for the nearest; and
    /// whether GTK has been asked to scroll to it;
    guint wanted_position;
    double wanted_top;
    bool has_asked_gtk;
    /// and a position to move the focus to, or GTK_INVALID_LIST_POSITION.
    guint wanted_focus;
    /// Where the button went down.
    guint pressed_position;
    GdkFrameClock *clock;
    /// The handlers of the clock's signals.
    gulong update_handler, layout_handler, after_paint_handler;
} List;

/// The list of a GtkScrolledWindow that `calotype_gtk_list_new` returned.
List *calotype_list_of(void *widget);
/// Keeps the list alive as long as an object whose signals use it: any of them may be the last to go.
void calotype_list_keep(List *list, GObject *object);

// list_cells.c

/// Makes, binds, unbinds and drops the cells of a list.
GtkListItemFactory *calotype_list_factory_new(List *list);

// list_input.c

/// Activates positions by click and by the return key.
void calotype_list_watch_activation(List *list);
/// Collects the steps of the wheel until the next frame.
void calotype_list_watch_wheel(List *list);

// list_scroll.c

/// Has the list scrolled in the next frame. Everything that scrolls waits for it: GtkGridView (4.8) loses its place, or ends the
/// program by an assertion, when it is scrolled twice without a layout in between.
void calotype_list_scroll_soon(List *list);
/// Scrolls by what was requested since the last frame. Returns whether another layout is needed.
bool calotype_list_scroll(List *list);
/// Brings a position on screen in the next frame, at this height, or for NAN with as little scrolling as possible.
void calotype_list_want(List *list, guint position, double top);
/// Scrolls to the wanted position after a layout. Returns whether another layout is needed.
bool calotype_list_go_to_position(List *list);

// list_frames.c

/// Updates the cells in the next frame, after its layout: only then are their places known.
void calotype_list_update_soon(List *list);
/// Takes part in the frames of a new view.
void calotype_list_watch_frames(List *list);
/// Allows as many columns as fit. GTK keeps thirty rows of as many cells as there could be columns, so that a generous limit
/// would cost thousands of cells.
void calotype_list_fit_columns(List *list);
void calotype_list_focus_cell(List *list, Cell *cell);

#endif
