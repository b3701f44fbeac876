#ifndef CCALOTYPE_GTK_SHOWN_H
#define CCALOTYPE_GTK_SHOWN_H

#include <gtk/gtk.h>
#include <stdbool.h>

/// What a view shows: one paintable for its whole life, so that another picture in it is another drawing and no new layout.
GdkPaintable *calotype_gtk_shown_new(void);
/// Whether it takes the size that it is given, and asks for none of its own.
void calotype_gtk_shown_set_fixed(GdkPaintable *shown, bool is_fixed);
/// Whether a texture is shown whole, never enlarged, instead of covering the area.
void calotype_gtk_shown_set_whole(GdkPaintable *shown, bool is_whole);
/// Shows a texture, or nothing for NULL: at once, or, where it fades, from what was there as the progress says.
void calotype_gtk_shown_set(GdkPaintable *shown, GdkPaintable *texture, bool fades);
/// At 0 the old one, at 1 the new one, and the old one is let go.
void calotype_gtk_shown_set_progress(GdkPaintable *shown, double progress);
/// Whether it draws nothing.
bool calotype_gtk_shown_is_blank(GdkPaintable *shown);

#endif
