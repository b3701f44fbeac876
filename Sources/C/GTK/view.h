#ifndef CCALOTYPE_GTK_VIEW_H
#define CCALOTYPE_GTK_VIEW_H

#include "CCalotypeGTK.h"

#include <gtk/gtk.h>

/// The state of an image view. view.c makes it and shows images, view_signs.c shows what lies over the image.
typedef struct {
    GtkOverlay *overlay;
    GtkPicture *image;
    GdkPaintable *paintable;
    GtkSpinner *spinner;
    GtkProgressBar *bar;
    /// The sign of failure and the badge, made when they are needed, or NULL.
    GtkWidget *failure, *badge;
    /// Whether a load runs. The spinner spins only while it is also mapped.
    bool is_loading;
    /// The tick callback of the running fade, or 0.
    guint tick;
    /// The start of the fade (0 before its first frame) and its duration, in microseconds.
    gint64 fade_start, fade_duration;
} View;

/// The view of a GtkOverlay that `calotype_gtk_view_new` returned.
View *calotype_view_of(void *overlay);
/// Adds the spinner and the progress bar.
void calotype_view_add_signs(View *view);

#endif
