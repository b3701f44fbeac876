#ifdef GTK

#include "paintable.h"
#include "view.h"

// Textures.

void *calotype_gtk_texture(const void *pixels, size_t count, int width, int height, size_t stride, int format,
                           void (*release)(void *), void *owner) {
    static const GdkMemoryFormat formats[] = {GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, GDK_MEMORY_R8G8B8A8,
                                              GDK_MEMORY_R16G16B16A16_PREMULTIPLIED, GDK_MEMORY_R16G16B16A16};
    GBytes *bytes = g_bytes_new_with_free_func(pixels, count, release, owner);
    GdkTexture *texture = gdk_memory_texture_new(width, height, formats[format], bytes, stride);
    g_bytes_unref(bytes);
    return texture;
}

void calotype_gtk_ref(void *object) { g_object_ref_sink(object); }
void calotype_gtk_unref(void *object) { g_object_unref(object); }

// The image view.

View *calotype_view_of(void *overlay) { return g_object_get_data(G_OBJECT(overlay), "calotype-view"); }

static void free_view(gpointer data) {
    View *view = data;
    g_clear_object(&view->paintable);
    g_free(view);
}

void *calotype_gtk_view_new(void *image_widget) {
    GtkOverlay *overlay = GTK_OVERLAY(gtk_overlay_new());
    View *view = g_new0(View, 1);
    view->overlay = overlay;
    view->image = image_widget ? GTK_PICTURE(image_widget) : GTK_PICTURE(gtk_picture_new());
    view->paintable = calotype_paintable_new();
    gtk_picture_set_can_shrink(view->image, TRUE);
    // The paintable scales its texture by itself.
    gtk_picture_set_content_fit(view->image, GTK_CONTENT_FIT_FILL);
    gtk_picture_set_paintable(view->image, view->paintable);
    gtk_overlay_set_child(overlay, GTK_WIDGET(view->image));
    calotype_view_add_signs(view);
    g_object_set_data_full(G_OBJECT(overlay), "calotype-view", view, free_view);
    return overlay;
}

void calotype_gtk_view_set_size(void *view, int width, int height) {
    gtk_widget_set_size_request(GTK_WIDGET(view), width, height);
    // In a larger cell, the view keeps its size, so that an image of this size is not scaled.
    gtk_widget_set_halign(GTK_WIDGET(view), GTK_ALIGN_CENTER);
    gtk_widget_set_valign(GTK_WIDGET(view), GTK_ALIGN_CENTER);
    calotype_paintable_set_fixed(calotype_view_of(view)->paintable, true);
}

void calotype_gtk_view_set_fit(void *view, int fit) {
    calotype_paintable_set_fit(calotype_view_of(view)->paintable, fit);
}

void *calotype_gtk_view_add_sizer(void *overlay) {
    GtkWidget *sizer = gtk_drawing_area_new();
    gtk_widget_set_can_target(sizer, FALSE);
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), sizer);
    return sizer;
}

bool calotype_gtk_view_has_size(void *overlay) {
    int requested[2], natural[2], size[2];
    gtk_widget_get_size_request(GTK_WIDGET(overlay), &requested[0], &requested[1]);
    calotype_gtk_size(overlay, &size[0], &size[1]);
    // A GtkPicture asks for some pixels even if it shows nothing.
    GtkWidget *image = GTK_WIDGET(calotype_view_of(overlay)->image);
    gtk_widget_measure(image, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural[0], NULL, NULL);
    gtk_widget_measure(image, GTK_ORIENTATION_VERTICAL, -1, NULL, &natural[1], NULL, NULL);
    bool has_width = size[0] > natural[0] || requested[0] > 0, has_height = size[1] > natural[1] || requested[1] > 0;
    return size[0] > 0 && size[1] > 0 && has_width && has_height;
}

void calotype_gtk_view_set_measures(void *view, bool measures_image) {
    calotype_paintable_set_fixed(calotype_view_of(view)->paintable, !measures_image);
}

static gboolean fade_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    (void)widget;
    View *view = data;
    gint64 now = gdk_frame_clock_get_frame_time(clock);
    if (!view->fade_start) view->fade_start = now;
    double progress = (double)(now - view->fade_start) / (double)view->fade_duration;
    calotype_paintable_set_progress(view->paintable, progress);
    if (progress < 1) return G_SOURCE_CONTINUE;
    view->tick = 0;
    return G_SOURCE_REMOVE;
}

void calotype_gtk_view_set_texture(void *object, void *texture, uint32_t fade_milliseconds) {
    View *view = calotype_view_of(object);
    if (view->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(view->image), view->tick);
    view->tick = 0;
    bool fades = texture && fade_milliseconds > 0;
    calotype_paintable_set(view->paintable, texture, fades);
    if (!fades) return;
    view->fade_start = 0;
    view->fade_duration = (gint64)fade_milliseconds * 1000;
    view->tick = gtk_widget_add_tick_callback(GTK_WIDGET(view->image), fade_tick, view, NULL);
}

void calotype_gtk_view_set_label(void *object, const char *label) {
    View *view = calotype_view_of(object);
    if (g_strcmp0(gtk_picture_get_alternative_text(view->image), label) == 0) return;
    gtk_picture_set_alternative_text(view->image, label);
    if (label) {
        gtk_accessible_update_property(GTK_ACCESSIBLE(view->image), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
    } else {
        gtk_accessible_reset_property(GTK_ACCESSIBLE(view->image), GTK_ACCESSIBLE_PROPERTY_LABEL);
    }
}

const char *calotype_gtk_view_label(void *view) { return gtk_picture_get_alternative_text(calotype_view_of(view)->image); }

bool calotype_gtk_view_is_blank(void *view) { return calotype_paintable_is_blank(calotype_view_of(view)->paintable); }

bool calotype_gtk_is_mapped(void *widget) { return gtk_widget_get_mapped(GTK_WIDGET(widget)); }

void calotype_gtk_size(void *widget, int *width, int *height) {
    *width = gtk_widget_get_width(GTK_WIDGET(widget));
    *height = gtk_widget_get_height(GTK_WIDGET(widget));
}

void *calotype_gtk_frame_clock(void *widget) { return gtk_widget_get_frame_clock(GTK_WIDGET(widget)); }

int calotype_gtk_scale_factor(void *widget) { return gtk_widget_get_scale_factor(GTK_WIDGET(widget)); }

void *calotype_gtk_settings(void *widget) { return gtk_widget_get_settings(GTK_WIDGET(widget)); }

bool calotype_gtk_animates(void *widget) {
    gboolean animates = TRUE;
    g_object_get(calotype_gtk_settings(widget), "gtk-enable-animations", &animates, NULL);
    return animates;
}

bool calotype_gtk_bounds(void *widget, void *other, double *x, double *y, double *width, double *height) {
    graphene_rect_t rect;
    if (!gtk_widget_get_mapped(GTK_WIDGET(widget)) || !gtk_widget_compute_bounds(GTK_WIDGET(widget), GTK_WIDGET(other), &rect)) {
        return false;
    }
    *x = rect.origin.x;
    *y = rect.origin.y;
    *width = rect.size.width;
    *height = rect.size.height;
    return true;
}

void *calotype_gtk_row_new(void *view) {
    GtkBox *row = GTK_BOX(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12));
    gtk_box_append(row, GTK_WIDGET(view));
    GtkWidget *title = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(title), PANGO_ELLIPSIZE_END);
    gtk_label_set_xalign(GTK_LABEL(title), 0);
    gtk_widget_set_hexpand(title, TRUE);
    gtk_box_append(row, title);
    return row;
}

void calotype_gtk_row_set_title(void *row, const char *title) {
    gtk_label_set_text(GTK_LABEL(gtk_widget_get_last_child(GTK_WIDGET(row))), title);
}

#endif
