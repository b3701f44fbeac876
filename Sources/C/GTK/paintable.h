#ifndef CCALOTYPE_GTK_PAINTABLE_H
#define CCALOTYPE_GTK_PAINTABLE_H

#include <gtk/gtk.h>
#include <stdbool.h>

/// The paintable of a view. A view keeps one paintable, so that showing another image needs no new layout.
GdkPaintable *calotype_paintable_new(void);
/// Sets whether the paintable has no intrinsic size and takes any size that it is given.
void calotype_paintable_set_fixed(GdkPaintable *paintable, bool is_fixed);
/// Sets how a texture is scaled: one of the constants of CCalotypeGTK.h.
void calotype_paintable_set_fit(GdkPaintable *paintable, int fit);
/// Shows a texture, or nothing for NULL. If `fades`, the old texture stays until `calotype_paintable_set_progress` replaces it.
void calotype_paintable_set(GdkPaintable *paintable, GdkPaintable *texture, bool fades);
/// Sets the progress of the fade: 0 shows the old texture; 1 shows the new one and releases the old one.
void calotype_paintable_set_progress(GdkPaintable *paintable, double progress);
/// Whether the paintable draws nothing.
bool calotype_paintable_is_blank(GdkPaintable *paintable);

#endif
