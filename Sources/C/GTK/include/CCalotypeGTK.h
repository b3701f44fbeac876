// What ImageTargetsGTK needs of GTK 4, whose casts and signal macros Swift cannot call.
//
// Widgets and textures pass as plain pointers, so that this header can be read where GTK is not installed. Everything
// here is called on the main thread.

#ifndef CCALOTYPE_GTK_H
#define CCALOTYPE_GTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Swift's main actor under GLib's loop.

/// Lets GLib's default loop run what is queued for the main dispatch queue. Further calls do nothing.
void calotype_gtk_attach_main_queue(void);

// Textures.

enum { CALOTYPE_GTK_RGBA8 = 0, CALOTYPE_GTK_RGBA8_STRAIGHT = 1, CALOTYPE_GTK_RGBA16 = 2, CALOTYPE_GTK_RGBA16_STRAIGHT = 3 };

/// A texture over pixels that it does not copy; `release(owner)` is called, on any thread, when it needs them no more.
/// To be released with `calotype_gtk_unref`.
void *calotype_gtk_texture(const void *pixels, size_t count, int width, int height, size_t stride, int format,
                           void (*release)(void *), void *owner);

/// A texture of one pixel: red, green, blue, alpha, straight.
void *calotype_gtk_color(const uint8_t rgba[4]);

/// Takes a reference; turns a floating one into a real one.
void calotype_gtk_ref(void *object);
void calotype_gtk_unref(void *object);

// A picture with what may lie over it: a spinner, a bar, a sign of failure.

/// A new view around a GtkPicture, or around a new one for NULL, which shows pictures whole or covered by them. A floating
/// GtkOverlay.
void *calotype_gtk_view_new(void *picture, bool shows_whole);
/// How large the view wants to be, in the application's pixels.
void calotype_gtk_view_set_size(void *view, int width, int height);
/// Shows a texture, or nothing for NULL. The old one fades out meanwhile.
void calotype_gtk_view_set_texture(void *view, void *texture, uint32_t fade_milliseconds);
void calotype_gtk_view_set_loading(void *view, bool loading);
/// From 0 to 1; less than 0 shows no bar.
void calotype_gtk_view_set_progress(void *view, double fraction);
/// Shows the sign of failure with the message as its tooltip, or none for NULL.
void calotype_gtk_view_set_failure(void *view, const char *message);
void calotype_gtk_view_set_label(void *view, const char *label);
/// The alternative text of the picture, or NULL; valid until it changes.
const char *calotype_gtk_view_label(void *view);
bool calotype_gtk_view_is_loading(void *view);
/// What the progress bar shows, 0 to 1; less than 0 where it is not shown.
double calotype_gtk_view_progress(void *view);
bool calotype_gtk_view_has_failed(void *view);
/// Device pixels to one of the application's.
int calotype_gtk_scale_factor(void *widget);
/// Whether the desktop wants animations.
bool calotype_gtk_animates(void *widget);
/// Whether it shows no texture, not even a part of one that fades.
bool calotype_gtk_view_is_blank(void *view);
/// Where the widget lies in another; false while it has no place.
bool calotype_gtk_bounds(void *widget, void *other, double *x, double *y, double *width, double *height);
/// Red, green, blue, alpha in the middle of the view as it would be drawn, straight. False when nothing is.
bool calotype_gtk_view_sample(void *view, int width, int height, uint8_t rgba[4]);

// A list that recycles its cells, in columns or as rows.

typedef struct {
    void *context;
    /// Makes a cell and its widget; the cell is passed to the other callbacks.
    void *(*make_cell)(void *context, void **widget);
    void (*bind)(void *context, void *cell, unsigned position);
    void (*unbind)(void *context, void *cell);
    void (*drop_cell)(void *context, void *cell);
    void (*activate)(void *context, unsigned position);
    /// A bound cell came on screen, or left it; one that is unbound or dropped left it without a call.
    void (*set_on_screen)(void *context, void *cell, bool is_on_screen);
    /// A frame was laid out, and not yet painted, in which cells may have moved; those that did were told of before. True asks for
    /// another call in the next one.
    bool (*moved)(void *context);
    /// The monitor's scale changed.
    void (*scaled)(void *context);
} calotype_gtk_list_callbacks;

/// A floating GtkScrolledWindow with a GtkGridView, of as many columns as cells of that width fit, or with a GtkListView. The
/// callbacks are called while it lives; `context` must outlive it, or `calotype_gtk_list_detach` be called before.
void *calotype_gtk_list_new(const calotype_gtk_list_callbacks *callbacks, int cell_width, bool has_columns);
void calotype_gtk_list_detach(void *list);
/// Makes a grid of it, or a list, with cells of its own. The chosen cell, or else the first one on screen, stays where it
/// is.
void calotype_gtk_list_set_columns(void *list, bool has_columns);
void calotype_gtk_list_set_count(void *list, unsigned count);
/// Has `moved` called before the next frame is painted.
void calotype_gtk_list_look(void *list);
/// How far it is scrolled, in the application's pixels, and how far it can be.
double calotype_gtk_list_offset(void *list, double *maximum);
/// In the next frame; of several, the last one counts.
void calotype_gtk_list_set_offset(void *list, double offset);
/// The position that is chosen, `UINT_MAX` for none.
unsigned calotype_gtk_list_selected(void *list);
/// Chooses a position, and brings it on screen in the next frame.
void calotype_gtk_list_select(void *list, unsigned position);
/// Moves the focus to the chosen cell.
void calotype_gtk_list_focus(void *list);

/// A floating GtkBox with a view and a title to its right.
void *calotype_gtk_row_new(void *view);
void calotype_gtk_row_set_title(void *row, const char *title);

#endif
