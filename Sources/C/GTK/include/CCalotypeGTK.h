// The parts of GTK 4 that ImageTargetsGTK uses: Swift cannot call GTK's cast and signal macros.
//
// Widgets and textures are plain pointers, so that this header compiles without GTK installed. Call everything here on the
// main thread.

#ifndef CCALOTYPE_GTK_H
#define CCALOTYPE_GTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Swift's main actor in GLib's main loop.

/// Lets GLib's default main loop run the main dispatch queue. Further calls do nothing.
void calotype_gtk_attach_main_queue(void);

// Signals.

/// Calls `call` with the arguments of a signal, an array of GValue that does not include the object itself. Its result is the
/// result of a signal that returns a truth value. `release` is called when the handler is disconnected or the object ends. Returns
/// the number of the handler; 0 if the object has no such signal.
unsigned long calotype_gtk_connect(void *object, const char *signal, bool runs_after,
                                   bool (*call)(void *context, const void *values, unsigned count), void *context,
                                   void (*release)(void *context));
void calotype_gtk_disconnect(void *object, unsigned long handler);
/// Reads a number, a truth value, an enumeration or flags. False if the value is none of these.
bool calotype_gtk_value_number(const void *values, unsigned index, double *number);
/// Reads an object or another pointer; NULL if the value is none.
void *calotype_gtk_value_pointer(const void *values, unsigned index);
/// Reads a text; NULL if the value is none.
const char *calotype_gtk_value_string(const void *values, unsigned index);

// Textures.

enum { CALOTYPE_GTK_RGBA8 = 0, CALOTYPE_GTK_RGBA8_STRAIGHT = 1, CALOTYPE_GTK_RGBA16 = 2, CALOTYPE_GTK_RGBA16_STRAIGHT = 3 };

/// Makes a texture that shares the pixels. When it no longer needs them, it calls `release(owner)`, on any thread. Release the
/// texture with `calotype_gtk_unref`.
void *calotype_gtk_texture(const void *pixels, size_t count, int width, int height, size_t stride, int format,
                           void (*release)(void *), void *owner);

/// Takes a reference. A floating reference becomes a normal one.
void calotype_gtk_ref(void *object);
void calotype_gtk_unref(void *object);

// An image view: a GtkPicture under a spinner, a progress bar and a failure icon.

enum { CALOTYPE_GTK_COVER = 0, CALOTYPE_GTK_SCALE_DOWN = 1, CALOTYPE_GTK_CONTAIN = 2 };

/// Makes a floating GtkOverlay around `image_widget`, a GtkPicture, or around a new one for NULL.
void *calotype_gtk_view_new(void *image_widget);
/// Sets whether an image covers the view, is shown whole but never enlarged, or is shown whole.
void calotype_gtk_view_set_fit(void *view, int fit);
/// Adds a widget that emits the signal `resize` when the view has another size, and returns it.
void *calotype_gtk_view_add_sizer(void *view);
/// Whether the container, or a size request, gives the view a size. Only for a view that does not ask for the size of its image.
bool calotype_gtk_view_has_size(void *view);
/// Sets whether the view asks for the size of its image when it is laid out.
void calotype_gtk_view_set_measures(void *view, bool measures_image);
/// Sets the size of the view, in the application's pixels.
void calotype_gtk_view_set_size(void *view, int width, int height);
/// Shows a texture, or nothing for NULL. The old one fades out during `fade_milliseconds`.
void calotype_gtk_view_set_texture(void *view, void *texture, uint32_t fade_milliseconds);
void calotype_gtk_view_set_loading(void *view, bool loading);
/// Shows a progress bar from 0 to 1; less than 0 shows none.
void calotype_gtk_view_set_progress(void *view, double fraction);
/// Shows the sign of failure, or none for NULL. Where the view is large enough, the message stands under it, and for a label that
/// is not NULL also a button, which is returned. Elsewhere the message is a tooltip.
void *calotype_gtk_view_set_failure(void *view, const char *message, const char *button_label);
/// Shows a letter in the upper left corner, in the colour of a tier: "memory", "disk", "local" or "network". NULL shows none.
void calotype_gtk_view_set_badge(void *view, const char *letter, const char *tier);
/// The letter of the badge that is shown, or NULL; valid until it changes.
const char *calotype_gtk_view_badge(void *view);
void calotype_gtk_view_set_label(void *view, const char *label);
/// The alternative text of the GtkPicture, or NULL; valid until it changes.
const char *calotype_gtk_view_label(void *view);
bool calotype_gtk_view_is_loading(void *view);
/// The progress that is shown, 0 to 1; less than 0 if none is.
double calotype_gtk_view_progress(void *view);
/// Whether a widget and all of its parents are shown in a window that is open.
bool calotype_gtk_is_mapped(void *widget);
/// The size of the last layout, in the application's pixels.
void calotype_gtk_size(void *widget, int *width, int *height);
/// The GdkFrameClock of a widget in a window, or NULL.
void *calotype_gtk_frame_clock(void *widget);
/// Device pixels per application pixel.
int calotype_gtk_scale_factor(void *widget);
/// The GtkSettings of the desktop.
void *calotype_gtk_settings(void *widget);
/// Whether they enable animations.
bool calotype_gtk_animates(void *widget);
/// Whether the view shows no texture, not even one that fades out.
bool calotype_gtk_view_is_blank(void *view);
/// The bounds of a widget within another one. False if the widget is not laid out.
bool calotype_gtk_bounds(void *widget, void *other, double *x, double *y, double *width, double *height);

// A list that recycles its cells, in columns or as rows.

typedef struct {
    void *context;
    /// Makes a cell and its widget; the cell is passed to the other callbacks.
    void *(*make_cell)(void *context, void **widget);
    void (*bind)(void *context, void *cell, unsigned position);
    /// Called when a bound cell keeps its image, but items before it were inserted or removed.
    void (*move)(void *context, void *cell, unsigned position);
    void (*unbind)(void *context, void *cell);
    void (*drop_cell)(void *context, void *cell);
    void (*activate)(void *context, unsigned position);
    /// Called when other items may be selected.
    void (*selection_changed)(void *context);
    /// Called when a bound cell came on screen or left it. Not called for a cell that is unbound or dropped.
    void (*set_on_screen)(void *context, void *cell, bool is_on_screen);
    /// Updates the cells of a frame, after its layout and the calls of `set_on_screen`, and before it is painted. Returns whether
    /// cells are left for the next frame.
    bool (*update_cells)(void *context);
    /// Called when the scale factor of the monitor changed.
    void (*scaled)(void *context);
} calotype_gtk_list_callbacks;

/// Makes a floating GtkScrolledWindow that contains a GtkGridView with as many columns as fit, or a GtkListView. The callbacks
/// are called until `calotype_gtk_list_detach`, which must be called before `context` is freed.
void *calotype_gtk_list_new(const calotype_gtk_list_callbacks *callbacks, int cell_width, bool has_columns,
                            bool selects_several);
void calotype_gtk_list_detach(void *list);
/// Replaces the view by a grid or a list with new cells. If the selected cell is on screen, it keeps its place; otherwise the
/// first cell on screen does.
void calotype_gtk_list_set_columns(void *list, bool has_columns);
/// Removes items at a position, and adds others there.
void calotype_gtk_list_splice(void *list, unsigned position, unsigned removed, unsigned added);
/// Calls `update_cells` before the next frame is painted.
void calotype_gtk_list_update_soon(void *list);
/// The scroll offset, and the largest one, in the application's pixels.
double calotype_gtk_list_offset(void *list, double *maximum);
/// Scrolls in the next frame, to the last offset that was set.
void calotype_gtk_list_set_offset(void *list, double offset);
/// Selects only one position, and scrolls it on screen in the next frame.
void calotype_gtk_list_select(void *list, unsigned position);
/// Writes the selected positions in ascending order, at most `capacity`. Returns their number.
unsigned calotype_gtk_list_selection(void *list, unsigned *positions, unsigned capacity);
/// Selects these positions only.
void calotype_gtk_list_set_selection(void *list, const unsigned *positions, unsigned count);
/// Moves the focus to the selected cell.
void calotype_gtk_list_focus(void *list);

/// Makes a floating GtkBox with a view and a title to its right.
void *calotype_gtk_row_new(void *view);
void calotype_gtk_row_set_title(void *row, const char *title);

#endif
