#ifdef GTK

#include "CCalotypeGTK.h"
#include "shown.h"

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

// The view.

typedef struct {
    GtkPicture *picture;
    GdkPaintable *shown;
    GtkSpinner *spinner;
    GtkProgressBar *bar;
    GtkImage *sign;
    // The running fade: its tick callback, and when it began and how long it takes in microseconds.
    guint tick;
    gint64 fade_began, fade_length;
} View;

static View *parts(void *view) { return g_object_get_data(G_OBJECT(view), "calotype-view"); }

static void drop_parts(gpointer data) {
    View *view = data;
    g_clear_object(&view->shown);
    g_free(view);
}

/// Changes the opacity, since a widget that becomes visible has everything around it laid out again.
static void set_seen(void *widget, bool is_seen) {
    gtk_widget_set_opacity(GTK_WIDGET(widget), is_seen ? 1 : 0);
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, (gboolean)!is_seen, -1);
}

static GtkWidget *add_over(GtkOverlay *overlay, GtkWidget *widget, GtkAlign vertical) {
    gtk_widget_set_halign(widget, vertical == GTK_ALIGN_END ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER);
    gtk_widget_set_valign(widget, vertical);
    gtk_widget_set_can_target(widget, FALSE);
    set_seen(widget, false);
    gtk_overlay_add_overlay(overlay, widget);
    return widget;
}

void *calotype_gtk_view_new(void *picture, bool shows_whole) {
    GtkOverlay *overlay = GTK_OVERLAY(gtk_overlay_new());
    View *view = g_new0(View, 1);
    view->picture = picture ? GTK_PICTURE(picture) : GTK_PICTURE(gtk_picture_new());
    view->shown = calotype_gtk_shown_new();
    calotype_gtk_shown_set_whole(view->shown, shows_whole);
    gtk_picture_set_can_shrink(view->picture, TRUE);
    // The paintable scales its texture itself.
    gtk_picture_set_content_fit(view->picture, GTK_CONTENT_FIT_FILL);
    gtk_picture_set_paintable(view->picture, view->shown);
    gtk_overlay_set_child(overlay, GTK_WIDGET(view->picture));
    view->spinner = GTK_SPINNER(add_over(overlay, gtk_spinner_new(), GTK_ALIGN_CENTER));
    view->bar = GTK_PROGRESS_BAR(add_over(overlay, gtk_progress_bar_new(), GTK_ALIGN_END));
    view->sign = GTK_IMAGE(add_over(overlay, gtk_image_new_from_icon_name("image-missing-symbolic"), GTK_ALIGN_CENTER));
    gtk_image_set_icon_size(view->sign, GTK_ICON_SIZE_LARGE);
    g_object_set_data_full(G_OBJECT(overlay), "calotype-view", view, drop_parts);
    return overlay;
}

void calotype_gtk_view_set_size(void *view, int width, int height) {
    gtk_widget_set_size_request(GTK_WIDGET(view), width, height);
    // In a wider cell the view keeps its size, so that an image of that size is shown pixel by pixel.
    gtk_widget_set_halign(GTK_WIDGET(view), GTK_ALIGN_CENTER);
    gtk_widget_set_valign(GTK_WIDGET(view), GTK_ALIGN_CENTER);
    calotype_gtk_shown_set_fixed(parts(view)->shown, true);
}

static gboolean fade_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    (void)widget;
    View *view = data;
    gint64 now = gdk_frame_clock_get_frame_time(clock);
    if (!view->fade_began) view->fade_began = now;
    double progress = (double)(now - view->fade_began) / (double)view->fade_length;
    calotype_gtk_shown_set_progress(view->shown, progress);
    if (progress < 1) return G_SOURCE_CONTINUE;
    view->tick = 0;
    return G_SOURCE_REMOVE;
}

void calotype_gtk_view_set_texture(void *object, void *texture, uint32_t fade_milliseconds) {
    View *view = parts(object);
    if (view->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(view->picture), view->tick);
    view->tick = 0;
    bool fades = texture && fade_milliseconds > 0;
    calotype_gtk_shown_set(view->shown, texture, fades);
    if (!fades) return;
    view->fade_began = 0;
    view->fade_length = (gint64)fade_milliseconds * 1000;
    view->tick = gtk_widget_add_tick_callback(GTK_WIDGET(view->picture), fade_tick, view, NULL);
}

void calotype_gtk_view_set_loading(void *object, bool loading) {
    View *view = parts(object);
    // The bar shows the progress of the previous load.
    if (calotype_gtk_view_progress(object) >= 0) set_seen(view->bar, false);
    if (gtk_spinner_get_spinning(view->spinner) == loading) return;
    gtk_spinner_set_spinning(view->spinner, loading);
    set_seen(view->spinner, loading);
}

void calotype_gtk_view_set_progress(void *object, double fraction) {
    View *view = parts(object);
    set_seen(view->bar, fraction >= 0 && fraction < 1);
    if (fraction >= 0) gtk_progress_bar_set_fraction(view->bar, fraction);
}

void calotype_gtk_view_set_failure(void *object, const char *message) {
    View *view = parts(object);
    if (!message && !calotype_gtk_view_has_failed(object)) return;
    set_seen(view->sign, message != NULL);
    gtk_widget_set_tooltip_text(GTK_WIDGET(object), message);
}

void calotype_gtk_view_set_label(void *object, const char *label) {
    View *view = parts(object);
    if (g_strcmp0(gtk_picture_get_alternative_text(view->picture), label) == 0) return;
    gtk_picture_set_alternative_text(view->picture, label);
    if (label) {
        gtk_accessible_update_property(GTK_ACCESSIBLE(view->picture), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
    } else {
        gtk_accessible_reset_property(GTK_ACCESSIBLE(view->picture), GTK_ACCESSIBLE_PROPERTY_LABEL);
    }
}

const char *calotype_gtk_view_label(void *view) { return gtk_picture_get_alternative_text(parts(view)->picture); }

double calotype_gtk_view_progress(void *view) {
    GtkProgressBar *bar = parts(view)->bar;
    return gtk_widget_get_opacity(GTK_WIDGET(bar)) > 0 ? gtk_progress_bar_get_fraction(bar) : -1;
}

bool calotype_gtk_view_is_loading(void *view) { return gtk_spinner_get_spinning(parts(view)->spinner); }
bool calotype_gtk_view_has_failed(void *view) { return gtk_widget_get_opacity(GTK_WIDGET(parts(view)->sign)) > 0; }

bool calotype_gtk_view_is_blank(void *view) { return calotype_gtk_shown_is_blank(parts(view)->shown); }

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
    gdk_paintable_snapshot(parts(object)->shown, snapshot, width, height);
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
