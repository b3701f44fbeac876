#include "CGallery.h"

#include <gtk/gtk.h>
#include <string.h>

static gallery_callbacks callbacks;
static GMainLoop *loop;
static GtkWidget *window, *stack, *panel, *button;

static gboolean pressed(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, gpointer data) {
    (void)controller, (void)code, (void)state, (void)data;
    gboolean is_large = g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(stack)), "image") == 0;
    switch (key) {
        case GDK_KEY_Escape: callbacks.key(callbacks.context, GALLERY_ESCAPE); return TRUE;
        // In the grid, the arrow keys move the focus.
        case GDK_KEY_Left: if (is_large) callbacks.key(callbacks.context, GALLERY_LEFT); return is_large;
        case GDK_KEY_Right: if (is_large) callbacks.key(callbacks.context, GALLERY_RIGHT); return is_large;
        default: break;
    }
    guint32 character = gdk_keyval_to_unicode(key);
    if (character == 0 || !strchr("blqs", (int)character)) return FALSE;
    callbacks.key(callbacks.context, character);
    return TRUE;
}

static void clicked(GtkButton *clicked_button, gpointer data) {
    (void)clicked_button, (void)data;
    callbacks.key(callbacks.context, 'l');
}

static gboolean tick(gpointer data) {
    (void)data;
    callbacks.tick(callbacks.context);
    return G_SOURCE_CONTINUE;
}

static gboolean closed(GtkWindow *closed_window, gpointer data) {
    (void)closed_window, (void)data;
    gallery_quit();
    return TRUE;
}

bool gallery_run(const gallery_callbacks *new_callbacks) {
    if (!gtk_init_check()) return false;
    callbacks = *new_callbacks;
    loop = g_main_loop_new(NULL, FALSE);
    window = gtk_window_new();
    gtk_window_set_title(GTK_WINDOW(window), "Calotype");
    gtk_window_set_default_size(GTK_WINDOW(window), 1100, 780);
    // A click on the button leaves the keyboard focus in the grid.
    button = gtk_button_new_with_label("");
    gtk_widget_set_focus_on_click(button, FALSE);
    g_signal_connect(button, "clicked", G_CALLBACK(clicked), NULL);
    GtkWidget *bar = gtk_header_bar_new();
    gtk_header_bar_pack_start(GTK_HEADER_BAR(bar), button);
    gtk_window_set_titlebar(GTK_WINDOW(window), bar);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    stack = gtk_stack_new();
    gtk_widget_set_vexpand(stack, TRUE);
    panel = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(panel), 0);
    gtk_widget_add_css_class(panel, "monospace");
    gtk_label_set_ellipsize(GTK_LABEL(panel), PANGO_ELLIPSIZE_END);
    gtk_widget_set_margin_start(panel, 8);
    gtk_widget_set_margin_top(panel, 4);
    gtk_widget_set_margin_bottom(panel, 4);
    gtk_box_append(GTK_BOX(box), stack);
    gtk_box_append(GTK_BOX(box), panel);
    gtk_window_set_child(GTK_WINDOW(window), box);
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(pressed), NULL);
    gtk_widget_add_controller(window, keys);
    g_signal_connect(window, "close-request", G_CALLBACK(closed), NULL);
    callbacks.ready(callbacks.context);
    g_timeout_add(100, tick, NULL);
    gtk_window_present(GTK_WINDOW(window));
    g_main_loop_run(loop);
    return true;
}

void gallery_set_pages(void *grid, void *large) {
    gtk_stack_add_named(GTK_STACK(stack), GTK_WIDGET(grid), "grid");
    gtk_stack_add_named(GTK_STACK(stack), GTK_WIDGET(large), "image");
}

void gallery_show_large(bool shows_large) {
    gtk_stack_set_visible_child_name(GTK_STACK(stack), shows_large ? "image" : "grid");
}

void gallery_set_button(const char *label) { gtk_button_set_label(GTK_BUTTON(button), label); }

void *gallery_window(void) { return window; }

void gallery_origin(double *x, double *y) { gtk_native_get_surface_transform(GTK_NATIVE(window), x, y); }

bool gallery_bounds(bool of_button, double *x, double *y, double *width, double *height) {
    graphene_rect_t bounds;
    if (!gtk_widget_compute_bounds(of_button ? button : stack, window, &bounds)) return false;
    gallery_origin(x, y);
    *x += bounds.origin.x;
    *y += bounds.origin.y;
    *width = bounds.size.width;
    *height = bounds.size.height;
    return true;
}

void gallery_set_panel(const char *text) { gtk_label_set_text(GTK_LABEL(panel), text); }
void gallery_set_panel_visible(bool visible) { gtk_widget_set_visible(panel, visible); }

static bool write_window(const char *path) {
    GdkPaintable *paintable = gtk_widget_paintable_new(window);
    // The size of the paintable includes the frame of the window, unlike the size of the widget.
    int width = gdk_paintable_get_intrinsic_width(paintable), height = gdk_paintable_get_intrinsic_height(paintable);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    gdk_paintable_snapshot(paintable, snapshot, width, height);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    g_object_unref(paintable);
    if (!node) return false;
    GdkTexture *texture = gsk_renderer_render_texture(
        gtk_native_get_renderer(GTK_NATIVE(window)), node, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    bool written = gdk_texture_save_to_png(texture, path);
    g_object_unref(texture);
    gsk_render_node_unref(node);
    return written;
}

static char *screenshot_path;

static void painted(GdkFrameClock *clock, gpointer data) {
    (void)data;
    g_signal_handlers_disconnect_by_func(clock, painted, NULL);
    if (!write_window(screenshot_path)) g_printerr("The screenshot could not be written to %s. Check its folder and permissions.\n", screenshot_path);
    g_clear_pointer(&screenshot_path, g_free);
    gallery_quit();
}

// The screenshot waits for the next frame: after a change, a window has no content to render until it is painted.
void gallery_write_and_quit(const char *path) {
    screenshot_path = g_strdup(path);
    g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(painted), NULL);
    gtk_widget_queue_draw(window);
}

void gallery_quit(void) { g_main_loop_quit(loop); }
