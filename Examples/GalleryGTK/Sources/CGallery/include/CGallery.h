#ifndef CGALLERY_H
#define CGALLERY_H

#include <stdbool.h>

typedef struct {
    void *context;
    /// Puts the grid and the large picture into the window.
    void (*ready)(void *context);
    /// A key: its character, or one of those below.
    void (*key)(void *context, unsigned key);
    /// Ten times a second: the panel may be written anew.
    void (*tick)(void *context);
} gallery_callbacks;

enum { GALLERY_LEFT = 1, GALLERY_RIGHT = 2, GALLERY_ESCAPE = 3 };

/// Runs the window until it is closed; false without a display.
bool gallery_run(const gallery_callbacks *callbacks);
void gallery_set_pages(void *grid, void *picture);
/// Shows the pictures, or the large one.
void gallery_show_picture(bool shows_picture);
/// What the button in the title bar says; a click on it is the key `l`.
void gallery_set_button(const char *label);
/// The GtkWindow.
void *gallery_window(void);
/// Where its inside begins: round it there may be a frame.
void gallery_origin(double *x, double *y);
/// Where the pictures lie, or that button, from the window's upper left, its frame included.
bool gallery_place(bool of_button, double *x, double *y, double *width, double *height);
void gallery_set_panel(const char *text);
void gallery_set_panel_visible(bool visible);
/// Writes the window's next frame as a PNG, and closes it.
void gallery_write_and_quit(const char *path);
void gallery_quit(void);

#endif
