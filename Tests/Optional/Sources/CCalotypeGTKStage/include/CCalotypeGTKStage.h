// A minimal GTK application for ImageTargetsGTKTests. Call everything here on the main thread.

#ifndef CCALOTYPE_GTK_STAGE_H
#define CCALOTYPE_GTK_STAGE_H

#include <stdbool.h>
#include <stdint.h>

/// Runs GTK's main loop with one undecorated window until `clt_stage_quit`. False if there is no display.
bool clt_stage_run(int width, int height, void (*ready)(void *context, void *window), void *context);
void clt_stage_quit(void);
void clt_stage_set_child(void *window, void *widget);
void clt_stage_set_visible(void *widget, bool visible);
/// The number of times that the main loop has waited for events so far.
unsigned clt_stage_wakeups(void);
/// Reports after each frame how long the main thread worked since the frame before, without GTK's own layout and
/// painting. Call it before a list is put into the window, and `clt_stage_measure_list` after that: between the
/// two, the list handles the layout.
void clt_stage_measure(void *window, void (*report)(void *context, double milliseconds), void *context);
void clt_stage_measure_list(void *window);
/// The colour in the middle of the image of an image view: straight (not premultiplied) red, green, blue and alpha.
/// False if the view draws nothing.
bool clt_stage_middle_color(void *view, uint8_t rgba[4]);
/// Sets the minimum size of a widget; -1 for none.
void clt_stage_set_size(void *widget, int width, int height);
/// Places a widget in the middle of its parent with its natural size, or fills the parent.
void clt_stage_center(void *widget, bool centers);
/// The first widget with a CSS name among a widget and its descendants, or NULL.
void *clt_stage_find(void *widget, const char *name);
/// Makes a GtkBox with a view above a GtkLabel.
void *clt_stage_row(void *view);
/// Sets the text of the GtkLabel of such a box.
void clt_stage_set_text(void *row, const char *text);
/// The text of a GtkLabel.
const char *clt_stage_text(void *label);
bool clt_stage_is_focusable(void *widget);
const char *clt_stage_tooltip(void *widget);
int clt_stage_width(void *widget);
void clt_stage_set_sensitive(void *widget, bool is_sensitive);
void clt_stage_click(void *button);
/// Makes a GtkButton, which `clt_stage_release` frees.
void *clt_stage_button(void);
void clt_stage_release(void *object);
/// Calls `tick` in intervals of `milliseconds` until it returns false.
void clt_stage_every(unsigned milliseconds, bool (*tick)(void *context), void *context);
/// Calls `tick` after each frame of the window. Its result has no effect.
void clt_stage_after_each_paint(void *window, bool (*tick)(void *context), void *context);
void clt_stage_set_animates(bool animates);

#endif
