#ifdef GTK

#include "CCalotypeGTK.h"
#include "paintable.h"

#include <math.h>

#define CALOTYPE_TYPE_PAINTABLE (calotype_paintable_get_type())
G_DECLARE_FINAL_TYPE(CalotypePaintable, calotype_paintable, CALOTYPE, PAINTABLE, GObject)

struct _CalotypePaintable {
    GObject parent_instance;
    // The old texture, while `to` fades in, and the new one. Either may be NULL.
    GdkPaintable *from, *to;
    double progress;
    bool is_fixed;
    // One of the constants of CCalotypeGTK.h.
    int fit;
};

/// Draws a paintable so that it covers the area, or so that all of it is visible. A paintable of one pixel is a colour, which fills
/// the area.
static void draw_texture(GdkPaintable *paintable, int fit, GdkSnapshot *snapshot, double width, double height) {
    if (!paintable) return;
    double w = gdk_paintable_get_intrinsic_width(paintable), h = gdk_paintable_get_intrinsic_height(paintable);
    double covering = w > 1 && h > 1 ? MAX(width / w, height / h) : 0, containing = MIN(width / w, height / h);
    if (fit == CALOTYPE_GTK_SCALE_DOWN) containing = MIN(1, containing);
    double scale = fit != CALOTYPE_GTK_COVER && covering > 0 ? containing : covering;
    double shown_width = scale > 0 ? w * scale : width, shown_height = scale > 0 ? h * scale : height;
    gtk_snapshot_save(snapshot);
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    // Centred on whole pixels, since half a pixel would blur every edge. Rounding towards zero keeps a covering image covering.
    gtk_snapshot_translate(
        snapshot,
        &GRAPHENE_POINT_INIT((float)trunc((width - shown_width) / 2), (float)trunc((height - shown_height) / 2)));
    gdk_paintable_snapshot(paintable, snapshot, shown_width, shown_height);
    gtk_snapshot_pop(snapshot);
    gtk_snapshot_restore(snapshot);
}

static void draw(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    CalotypePaintable *self = CALOTYPE_PAINTABLE(paintable);
    if (self->progress >= 1) {
        draw_texture(self->to, self->fit, snapshot, width, height);
        return;
    }
    gtk_snapshot_push_cross_fade(snapshot, self->progress);
    draw_texture(self->from, self->fit, snapshot, width, height);
    gtk_snapshot_pop(snapshot);
    draw_texture(self->to, self->fit, snapshot, width, height);
    gtk_snapshot_pop(snapshot);
}

/// The texture whose size is the intrinsic size, or NULL.
static GdkPaintable *texture_with_size(GdkPaintable *paintable) {
    CalotypePaintable *self = CALOTYPE_PAINTABLE(paintable);
    return self->is_fixed ? NULL : self->to;
}

static int intrinsic_width(GdkPaintable *paintable) {
    return texture_with_size(paintable) ? gdk_paintable_get_intrinsic_width(texture_with_size(paintable)) : 0;
}
static int intrinsic_height(GdkPaintable *paintable) {
    return texture_with_size(paintable) ? gdk_paintable_get_intrinsic_height(texture_with_size(paintable)) : 0;
}
static double intrinsic_ratio(GdkPaintable *paintable) {
    return texture_with_size(paintable) ? gdk_paintable_get_intrinsic_aspect_ratio(texture_with_size(paintable)) : 0;
}

static void calotype_paintable_interface_init(GdkPaintableInterface *interface) {
    interface->snapshot = draw;
    interface->get_intrinsic_width = intrinsic_width;
    interface->get_intrinsic_height = intrinsic_height;
    interface->get_intrinsic_aspect_ratio = intrinsic_ratio;
}

G_DEFINE_TYPE_WITH_CODE(CalotypePaintable, calotype_paintable, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, calotype_paintable_interface_init))

static void calotype_paintable_dispose(GObject *object) {
    CalotypePaintable *self = CALOTYPE_PAINTABLE(object);
    g_clear_object(&self->from);
    g_clear_object(&self->to);
    G_OBJECT_CLASS(calotype_paintable_parent_class)->dispose(object);
}

static void calotype_paintable_class_init(CalotypePaintableClass *class) {
    G_OBJECT_CLASS(class)->dispose = calotype_paintable_dispose;
}

static void calotype_paintable_init(CalotypePaintable *self) { self->progress = 1; }

GdkPaintable *calotype_paintable_new(void) { return g_object_new(CALOTYPE_TYPE_PAINTABLE, NULL); }

void calotype_paintable_set_fixed(GdkPaintable *paintable, bool is_fixed) {
    CALOTYPE_PAINTABLE(paintable)->is_fixed = is_fixed;
    gdk_paintable_invalidate_size(paintable);
}

void calotype_paintable_set_fit(GdkPaintable *paintable, int fit) {
    CALOTYPE_PAINTABLE(paintable)->fit = fit;
    gdk_paintable_invalidate_contents(paintable);
}

void calotype_paintable_set(GdkPaintable *paintable, GdkPaintable *texture, bool fades) {
    CalotypePaintable *self = CALOTYPE_PAINTABLE(paintable);
    int width = intrinsic_width(paintable), height = intrinsic_height(paintable);
    GdkPaintable *from = fades ? self->to : NULL;
    g_set_object(&self->from, from);
    g_set_object(&self->to, texture);
    self->progress = fades ? 0 : 1;
    if (width != intrinsic_width(paintable) || height != intrinsic_height(paintable)) gdk_paintable_invalidate_size(paintable);
    gdk_paintable_invalidate_contents(paintable);
}

void calotype_paintable_set_progress(GdkPaintable *paintable, double progress) {
    CalotypePaintable *self = CALOTYPE_PAINTABLE(paintable);
    self->progress = CLAMP(progress, 0, 1);
    if (progress >= 1) g_clear_object(&self->from);
    gdk_paintable_invalidate_contents(paintable);
}

bool calotype_paintable_is_blank(GdkPaintable *paintable) {
    CalotypePaintable *self = CALOTYPE_PAINTABLE(paintable);
    return !self->from && !self->to;
}

#endif
