#ifndef CCALOTYPE_GTK_SHOWN_H
#define CCALOTYPE_GTK_SHOWN_H

#include <gtk/gtk.h>
#include <stdbool.h>

/// What a view shows: one paintable for its whole life, so that another image is drawn without a new layout.
GdkPaintable *calotype_gtk_shown_new(void);
/// Whether it takes the size that it is given and has none of its own.
void calotype_gtk_shown_set_fixed(GdkPaintable *shown, bool is_fixed);
/// Whether a texture is shown whole, never enlarged, instead of covering the area.
void calotype_gtk_shown_set_whole(GdkPaintable *shown, bool is_whole);
/// Shows a texture, or nothing for NULL. If `fades`, the old texture stays until `calotype_gtk_shown_set_progress` replaces it.
void calotype_gtk_shown_set(GdkPaintable *shown, GdkPaintable *texture, bool fades);
/// 0 shows the old texture; 1 shows the new one and releases the old one.
void calotype_gtk_shown_set_progress(GdkPaintable *shown, double progress);
/// Whether it draws nothing.
bool calotype_gtk_shown_is_blank(GdkPaintable *shown);

#endif
