#ifndef CCALOTYPE_GTK_FADE_H
#define CCALOTYPE_GTK_FADE_H

#include <gtk/gtk.h>

/// A paintable that goes from one to another: at progress 0 the old one, at 1 the new one. Takes its size from the new one.
GdkPaintable *calotype_gtk_fade_new(GdkPaintable *from, GdkPaintable *to);
GdkPaintable *calotype_gtk_fade_target(GdkPaintable *fade);
void calotype_gtk_fade_set_progress(GdkPaintable *fade, double progress);

#endif
