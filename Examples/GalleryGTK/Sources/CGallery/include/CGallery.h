#ifndef CGALLERY_H
#define CGALLERY_H

#include <stdbool.h>

typedef struct {
    void *context;
    /// Puts the grid and the view of the large image into the window.
    void (*ready)(void *context);
    /// Handles a key: its character, or one of the constants below.
    void (*key)(void *context, unsigned key);
    /// Updates the panel, ten times per second.
    void (*tick)(void *context);
} gallery_callbacks;

enum { GALLERY_LEFT = 1, GALLERY_RIGHT = 2, GALLERY_ESCAPE = 3 };

/// Runs the window until it is closed. False if there is no display.
bool gallery_run(const gallery_callbacks *callbacks);
/// Sets the two pages of the window.
void gallery_set_pages(void *grid, void *large);
/// Shows the large image, or the grid.
void gallery_show_large(bool shows_large);
/// Sets the label of the button in the title bar. A click on it is the same as the key `l`.
void gallery_set_button(const char *label);
/// The GtkWindow.
void *gallery_window(void);
/// The origin of the window's content within its surface, which may have a frame.
void gallery_origin(double *x, double *y);
/// The bounds of the button or of the page, from the upper left corner of the surface, including the frame.
bool gallery_bounds(bool of_button, double *x, double *y, double *width, double *height);
void gallery_set_panel(const char *text);
void gallery_set_panel_visible(bool visible);
/// Writes the next frame of the window to a PNG file, and closes the window.
void gallery_write_and_quit(const char *path);
void gallery_quit(void);

#endif
