#ifdef GTK

#include "CCalotypeGTK.h"
#include "paintable.h"

#include <gtk/gtk.h>

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

void *calotype_gtk_color(const uint8_t rgba[4]) {
    GBytes *bytes = g_bytes_new(rgba, 4);
    GdkTexture *texture = gdk_memory_texture_new(1, 1, GDK_MEMORY_R8G8B8A8, bytes, 4);
    g_bytes_unref(bytes);
    return texture;
}

void calotype_gtk_ref(void *object) { g_object_ref_sink(object); }
void calotype_gtk_unref(void *object) { g_object_unref(object); }

// The image view.

typedef struct {
    GtkPicture *image;
    GdkPaintable *paintable;
    GtkSpinner *spinner;
    GtkProgressBar *bar;
    GtkImage *failure_icon;
    // The tick callback of the running fade, or 0.
    guint tick;
    // The start of the fade (0 before its first frame) and its duration, in microseconds.
    gint64 fade_start, fade_duration;
} View;

static View *view_of(void *view) { return g_object_get_data(G_OBJECT(view), "calotype-view"); }

static void free_view(gpointer data) {
    View *view = data;
    g_clear_object(&view->paintable);
    g_free(view);
}

/// Shows or hides a widget by its opacity. Changing its visibility would lay out the widgets around it again.
static void set_visible(void *widget, bool is_visible) {
    gtk_widget_set_opacity(GTK_WIDGET(widget), is_visible ? 1 : 0);
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, (gboolean)!is_visible, -1);
}

static GtkWidget *add_over(GtkOverlay *overlay, GtkWidget *widget, GtkAlign vertical) {
    gtk_widget_set_halign(widget, vertical == GTK_ALIGN_END ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER);
    gtk_widget_set_valign(widget, vertical);
    gtk_widget_set_can_target(widget, FALSE);
    set_visible(widget, false);
    gtk_overlay_add_overlay(overlay, widget);
    return widget;
}

void *calotype_gtk_view_new(void *image_widget, bool shows_whole) {
    GtkOverlay *overlay = GTK_OVERLAY(gtk_overlay_new());
    View *view = g_new0(View, 1);
    view->image = image_widget ? GTK_PICTURE(image_widget) : GTK_PICTURE(gtk_picture_new());
    view->paintable = calotype_paintable_new();
    calotype_paintable_set_whole(view->paintable, shows_whole);
    gtk_picture_set_can_shrink(view->image, TRUE);
    // The paintable scales its texture by itself.
    gtk_picture_set_content_fit(view->image, GTK_CONTENT_FIT_FILL);
    gtk_picture_set_paintable(view->image, view->paintable);
    gtk_overlay_set_child(overlay, GTK_WIDGET(view->image));
    view->spinner = GTK_SPINNER(add_over(overlay, gtk_spinner_new(), GTK_ALIGN_CENTER));
    view->bar = GTK_PROGRESS_BAR(add_over(overlay, gtk_progress_bar_new(), GTK_ALIGN_END));
    view->failure_icon = GTK_IMAGE(add_over(overlay, gtk_image_new_from_icon_name("image-missing-symbolic"), GTK_ALIGN_CENTER));
    gtk_image_set_icon_size(view->failure_icon, GTK_ICON_SIZE_LARGE);
    g_object_set_data_full(G_OBJECT(overlay), "calotype-view", view, free_view);
    return overlay;
}

void calotype_gtk_view_set_size(void *view, int width, int height) {
    gtk_widget_set_size_request(GTK_WIDGET(view), width, height);
    // In a larger cell, the view keeps its size, so that an image of this size is not scaled.
    gtk_widget_set_halign(GTK_WIDGET(view), GTK_ALIGN_CENTER);
    gtk_widget_set_valign(GTK_WIDGET(view), GTK_ALIGN_CENTER);
    calotype_paintable_set_fixed(view_of(view)->paintable, true);
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
    View *view = view_of(object);
    if (view->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(view->image), view->tick);
    view->tick = 0;
    bool fades = texture && fade_milliseconds > 0;
    calotype_paintable_set(view->paintable, texture, fades);
    if (!fades) return;
    view->fade_start = 0;
    view->fade_duration = (gint64)fade_milliseconds * 1000;
    view->tick = gtk_widget_add_tick_callback(GTK_WIDGET(view->image), fade_tick, view, NULL);
}

void calotype_gtk_view_set_loading(void *object, bool loading) {
    View *view = view_of(object);
    // The progress bar may still show the progress of the previous load.
    if (calotype_gtk_view_progress(object) >= 0) set_visible(view->bar, false);
    if (gtk_spinner_get_spinning(view->spinner) == loading) return;
    gtk_spinner_set_spinning(view->spinner, loading);
    set_visible(view->spinner, loading);
}

void calotype_gtk_view_set_progress(void *object, double fraction) {
    View *view = view_of(object);
    set_visible(view->bar, fraction >= 0 && fraction < 1);
    if (fraction >= 0) gtk_progress_bar_set_fraction(view->bar, fraction);
}

void calotype_gtk_view_set_failure(void *object, const char *message) {
    View *view = view_of(object);
    if (!message && !calotype_gtk_view_has_failed(object)) return;
    set_visible(view->failure_icon, message != NULL);
    gtk_widget_set_tooltip_text(GTK_WIDGET(object), message);
}

void calotype_gtk_view_set_label(void *object, const char *label) {
    View *view = view_of(object);
    if (g_strcmp0(gtk_picture_get_alternative_text(view->image), label) == 0) return;
    gtk_picture_set_alternative_text(view->image, label);
    if (label) {
        gtk_accessible_update_property(GTK_ACCESSIBLE(view->image), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
    } else {
        gtk_accessible_reset_property(GTK_ACCESSIBLE(view->image), GTK_ACCESSIBLE_PROPERTY_LABEL);
    }
}

const char *calotype_gtk_view_label(void *view) { return gtk_picture_get_alternative_text(view_of(view)->image); }

double calotype_gtk_view_progress(void *view) {
    GtkProgressBar *bar = view_of(view)->bar;
    return gtk_widget_get_opacity(GTK_WIDGET(bar)) > 0 ? gtk_progress_bar_get_fraction(bar) : -1;
}

bool calotype_gtk_view_is_loading(void *view) { return gtk_spinner_get_spinning(view_of(view)->spinner); }
bool calotype_gtk_view_has_failed(void *view) { return gtk_widget_get_opacity(GTK_WIDGET(view_of(view)->failure_icon)) > 0; }

bool calotype_gtk_view_is_blank(void *view) { return calotype_paintable_is_blank(view_of(view)->paintable); }

int calotype_gtk_scale_factor(void *widget) { return gtk_widget_get_scale_factor(GTK_WIDGET(widget)); }

bool calotype_gtk_animates(void *widget) {
    gboolean animates = TRUE;
    g_object_get(gtk_widget_get_settings(GTK_WIDGET(widget)), "gtk-enable-animations", &animates, NULL);
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

bool calotype_gtk_view_sample(void *object, int width, int height, uint8_t rgba[4]) {
    GtkSnapshot *snapshot = gtk_snapshot_new();
    gdk_paintable_snapshot(view_of(object)->paintable, snapshot, width, height);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    if (!node) return false;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *context = cairo_create(surface);
    gsk_render_node_draw(node, context);
    cairo_destroy(context);
    cairo_surface_flush(surface);
    const unsigned char *row = cairo_image_surface_get_data(surface) + height / 2 * cairo_image_surface_get_stride(surface);
    uint32_t pixel = ((const uint32_t *)(const void *)row)[width / 2];
    uint32_t alpha = pixel >> 24;
    for (int i = 0; i < 3; i++) {
        uint32_t value = (pixel >> (16 - 8 * i)) & 255;
        rgba[i] = (uint8_t)(alpha ? MIN(255, (value * 255 + alpha / 2) / alpha) : 0);
    }
    rgba[3] = (uint8_t)alpha;
    cairo_surface_destroy(surface);
    gsk_render_node_unref(node);
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
