// A minimal GTK application for ImageTargetsGTKTests. Call everything here on the main thread.

#ifndef CCALOTYPE_GTK_STAGE_H
#define CCALOTYPE_GTK_STAGE_H

#include <stdbool.h>

/// Runs GTK's main loop with one undecorated window until `calotype_stage_quit`. False if there is no display.
bool calotype_stage_run(int width, int height, void (*ready)(void *context, void *window), void *context);
void calotype_stage_quit(void);
void calotype_stage_set_child(void *window, void *widget);
void calotype_stage_set_visible(void *widget, bool visible);
/// Calls `tick` in intervals of `milliseconds` until it returns false.
void calotype_stage_every(unsigned milliseconds, bool (*tick)(void *context), void *context);
/// Calls `tick` after each frame of the window. Its result has no effect.
void calotype_stage_after_each_paint(void *window, bool (*tick)(void *context), void *context);
void calotype_stage_set_animates(bool animates);

#endif
