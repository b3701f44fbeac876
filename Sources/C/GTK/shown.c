#ifdef GTK

#include "shown.h"

#include <math.h>

#define CALOTYPE_TYPE_SHOWN (calotype_shown_get_type())
G_DECLARE_FINAL_TYPE(CalotypeShown, calotype_shown, CALOTYPE, SHOWN, GObject)

struct _CalotypeShown {
    GObject parent_instance;
    // Either may be NULL. `from` is set while `to` fades in.
    GdkPaintable *from, *to;
    double progress;
    bool is_fixed, is_whole;
};

/// Covers the area with a paintable of another shape, as GTK_CONTENT_FIT_COVER does, or shows the whole of it, as
/// GTK_CONTENT_FIT_SCALE_DOWN does. One pixel is a colour, which fills the area.
static void place(GdkPaintable *paintable, bool is_whole, GdkSnapshot *snapshot, double width, double height) {
    if (!paintable) return;
    double w = gdk_paintable_get_intrinsic_width(paintable), h = gdk_paintable_get_intrinsic_height(paintable);
    double covering = w > 1 && h > 1 ? MAX(width / w, height / h) : 0;
    double scale = is_whole && covering > 0 ? MIN(1, MIN(width / w, height / h)) : covering;
    double shown_width = scale > 0 ? w * scale : width, shown_height = scale > 0 ? h * scale : height;
    gtk_snapshot_save(snapshot);
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    // In the middle, but on whole pixels: halfway between two, every edge is blurred. Rounded towards zero, so that an image that
    // covers the area still does.
    gtk_snapshot_translate(
        snapshot,
        &GRAPHENE_POINT_INIT((float)trunc((width - shown_width) / 2), (float)trunc((height - shown_height) / 2)));
    gdk_paintable_snapshot(paintable, snapshot, shown_width, shown_height);
    gtk_snapshot_pop(snapshot);
    gtk_snapshot_restore(snapshot);
}

static void shown_snapshot(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    CalotypeShown *shown = CALOTYPE_SHOWN(paintable);
    if (shown->progress >= 1) {
        place(shown->to, shown->is_whole, snapshot, width, height);
        return;
    }
    gtk_snapshot_push_cross_fade(snapshot, shown->progress);
    place(shown->from, shown->is_whole, snapshot, width, height);
    gtk_snapshot_pop(snapshot);
    place(shown->to, shown->is_whole, snapshot, width, height);
    gtk_snapshot_pop(snapshot);
}

static GdkPaintable *sized(GdkPaintable *paintable) {
    CalotypeShown *shown = CALOTYPE_SHOWN(paintable);
    return shown->is_fixed ? NULL : shown->to;
}

static int shown_width(GdkPaintable *paintable) {
    return sized(paintable) ? gdk_paintable_get_intrinsic_width(sized(paintable)) : 0;
}
static int shown_height(GdkPaintable *paintable) {
    return sized(paintable) ? gdk_paintable_get_intrinsic_height(sized(paintable)) : 0;
}
static double shown_ratio(GdkPaintable *paintable) {
    return sized(paintable) ? gdk_paintable_get_intrinsic_aspect_ratio(sized(paintable)) : 0;
}

static void calotype_shown_paintable_init(GdkPaintableInterface *interface) {
    interface->snapshot = shown_snapshot;
    interface->get_intrinsic_width = shown_width;
    interface->get_intrinsic_height = shown_height;
    interface->get_intrinsic_aspect_ratio = shown_ratio;
}

G_DEFINE_TYPE_WITH_CODE(CalotypeShown, calotype_shown, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, calotype_shown_paintable_init))

static void calotype_shown_dispose(GObject *object) {
    CalotypeShown *shown = CALOTYPE_SHOWN(object);
    g_clear_object(&shown->from);
    g_clear_object(&shown->to);
    G_OBJECT_CLASS(calotype_shown_parent_class)->dispose(object);
}

static void calotype_shown_class_init(CalotypeShownClass *class) { G_OBJECT_CLASS(class)->dispose = calotype_shown_dispose; }

static void calotype_shown_init(CalotypeShown *shown) { shown->progress = 1; }

GdkPaintable *calotype_gtk_shown_new(void) { return g_object_new(CALOTYPE_TYPE_SHOWN, NULL); }

void calotype_gtk_shown_set_fixed(GdkPaintable *paintable, bool is_fixed) {
    CALOTYPE_SHOWN(paintable)->is_fixed = is_fixed;
    gdk_paintable_invalidate_size(paintable);
}

void calotype_gtk_shown_set_whole(GdkPaintable *paintable, bool is_whole) {
    CALOTYPE_SHOWN(paintable)->is_whole = is_whole;
    gdk_paintable_invalidate_contents(paintable);
}

void calotype_gtk_shown_set(GdkPaintable *paintable, GdkPaintable *texture, bool fades) {
    CalotypeShown *shown = CALOTYPE_SHOWN(paintable);
    int width = shown_width(paintable), height = shown_height(paintable);
    GdkPaintable *from = fades ? shown->to : NULL;
    g_set_object(&shown->from, from);
    g_set_object(&shown->to, texture);
    shown->progress = fades ? 0 : 1;
    if (width != shown_width(paintable) || height != shown_height(paintable)) gdk_paintable_invalidate_size(paintable);
    gdk_paintable_invalidate_contents(paintable);
}

void calotype_gtk_shown_set_progress(GdkPaintable *paintable, double progress) {
    CalotypeShown *shown = CALOTYPE_SHOWN(paintable);
    shown->progress = CLAMP(progress, 0, 1);
    if (progress >= 1) g_clear_object(&shown->from);
    gdk_paintable_invalidate_contents(paintable);
}

bool calotype_gtk_shown_is_blank(GdkPaintable *paintable) {
    CalotypeShown *shown = CALOTYPE_SHOWN(paintable);
    return !shown->from && !shown->to;
}

#endif
