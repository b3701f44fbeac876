#ifdef GTK

#include "fade.h"

#define CALOTYPE_TYPE_FADE (calotype_fade_get_type())
G_DECLARE_FINAL_TYPE(CalotypeFade, calotype_fade, CALOTYPE, FADE, GObject)

struct _CalotypeFade {
    GObject parent_instance;
    GdkPaintable *from, *to;
    double progress;
};

/// Covers the area with a paintable of another shape, as GTK_CONTENT_FIT_COVER does.
static void cover(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    double w = gdk_paintable_get_intrinsic_width(paintable), h = gdk_paintable_get_intrinsic_height(paintable);
    double scale = w > 1 && h > 1 ? MAX(width / w, height / h) : 0;
    double shown_width = scale > 0 ? w * scale : width, shown_height = scale > 0 ? h * scale : height;
    gtk_snapshot_save(snapshot);
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    gtk_snapshot_translate(
        snapshot, &GRAPHENE_POINT_INIT((float)((width - shown_width) / 2), (float)((height - shown_height) / 2)));
    gdk_paintable_snapshot(paintable, snapshot, shown_width, shown_height);
    gtk_snapshot_pop(snapshot);
    gtk_snapshot_restore(snapshot);
}

static void fade_snapshot(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    CalotypeFade *fade = CALOTYPE_FADE(paintable);
    gtk_snapshot_push_cross_fade(snapshot, fade->progress);
    cover(fade->from, snapshot, width, height);
    gtk_snapshot_pop(snapshot);
    gdk_paintable_snapshot(fade->to, snapshot, width, height);
    gtk_snapshot_pop(snapshot);
}

static int fade_width(GdkPaintable *paintable) { return gdk_paintable_get_intrinsic_width(CALOTYPE_FADE(paintable)->to); }
static int fade_height(GdkPaintable *paintable) { return gdk_paintable_get_intrinsic_height(CALOTYPE_FADE(paintable)->to); }
static double fade_ratio(GdkPaintable *paintable) {
    return gdk_paintable_get_intrinsic_aspect_ratio(CALOTYPE_FADE(paintable)->to);
}

static void calotype_fade_paintable_init(GdkPaintableInterface *interface) {
    interface->snapshot = fade_snapshot;
    interface->get_intrinsic_width = fade_width;
    interface->get_intrinsic_height = fade_height;
    interface->get_intrinsic_aspect_ratio = fade_ratio;
}

G_DEFINE_TYPE_WITH_CODE(CalotypeFade, calotype_fade, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, calotype_fade_paintable_init))

static void calotype_fade_dispose(GObject *object) {
    CalotypeFade *fade = CALOTYPE_FADE(object);
    g_clear_object(&fade->from);
    g_clear_object(&fade->to);
    G_OBJECT_CLASS(calotype_fade_parent_class)->dispose(object);
}

static void calotype_fade_class_init(CalotypeFadeClass *class) { G_OBJECT_CLASS(class)->dispose = calotype_fade_dispose; }

static void calotype_fade_init(CalotypeFade *fade) { (void)fade; }

GdkPaintable *calotype_gtk_fade_new(GdkPaintable *from, GdkPaintable *to) {
    CalotypeFade *fade = g_object_new(CALOTYPE_TYPE_FADE, NULL);
    fade->from = g_object_ref(from);
    fade->to = g_object_ref(to);
    return GDK_PAINTABLE(fade);
}

GdkPaintable *calotype_gtk_fade_target(GdkPaintable *fade) { return CALOTYPE_FADE(fade)->to; }

void calotype_gtk_fade_set_progress(GdkPaintable *fade, double progress) {
    CALOTYPE_FADE(fade)->progress = CLAMP(progress, 0, 1);
    gdk_paintable_invalidate_contents(fade);
}

#endif
