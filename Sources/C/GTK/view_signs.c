#ifdef GTK

#include "view.h"

// Adwaita gives progress bars a minimum width, which is wider than the cells of a list.
static const char style[] =
    "progressbar.calotype > trough, progressbar.calotype > trough > progress { min-width: 0; }"
    "progressbar.calotype { margin: 4px; }"
    ".calotype-badge { padding: 1px 6px; color: white; font-weight: bold; border-bottom-right-radius: 6px; }"
    ".calotype-badge.memory { background-color: rgb(30, 130, 60); }"
    ".calotype-badge.disk { background-color: rgb(30, 80, 190); }"
    ".calotype-badge.local { background-color: rgb(90, 90, 90); }"
    ".calotype-badge.network { background-color: rgb(200, 40, 40); }";

static void add_style(void) {
    static bool is_added = false;
    if (is_added) return;
    is_added = true;
    GtkCssProvider *provider = gtk_css_provider_new();
    gtk_css_provider_load_from_data(provider, style, -1);
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(provider),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    g_object_unref(provider);
}

/// Shows or hides a widget by its opacity. Changing its visibility would lay out the widgets around it again.
static void set_visible(void *widget, bool is_visible) {
    gtk_widget_set_opacity(GTK_WIDGET(widget), is_visible ? 1 : 0);
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, (gboolean)!is_visible, -1);
}

static bool is_visible(void *widget) { return widget && gtk_widget_get_opacity(GTK_WIDGET(widget)) > 0; }

static GtkWidget *add(View *view, GtkWidget *widget, GtkAlign horizontal, GtkAlign vertical) {
    gtk_widget_set_halign(widget, horizontal);
    gtk_widget_set_valign(widget, vertical);
    gtk_widget_set_can_target(widget, FALSE);
    gtk_overlay_add_overlay(view->overlay, widget);
    return widget;
}

// GTK advances the animation of a spinner that is not mapped, and paints a frame for it. Lists keep such cells in reserve.
static void spin(View *view) {
    bool spins = view->is_loading && gtk_widget_get_mapped(GTK_WIDGET(view->spinner));
    if (gtk_spinner_get_spinning(view->spinner) != spins) gtk_spinner_set_spinning(view->spinner, spins);
}

// GTK emits this signal before it unmaps the spinner.
static void spinner_unmapped(View *view) {
    gtk_spinner_set_spinning(view->spinner, FALSE);
}

void calotype_view_add_signs(View *view) {
    add_style();
    view->spinner = GTK_SPINNER(add(view, gtk_spinner_new(), GTK_ALIGN_CENTER, GTK_ALIGN_CENTER));
    GConnectFlags after = G_CONNECT_AFTER | G_CONNECT_SWAPPED;
    g_signal_connect_data(view->spinner, "map", G_CALLBACK(spin), view, NULL, after);
    g_signal_connect_data(view->spinner, "unmap", G_CALLBACK(spinner_unmapped), view, NULL, after);
    set_visible(view->spinner, false);
    view->bar = GTK_PROGRESS_BAR(add(view, gtk_progress_bar_new(), GTK_ALIGN_FILL, GTK_ALIGN_END));
    gtk_widget_add_css_class(GTK_WIDGET(view->bar), "calotype");
    set_visible(view->bar, false);
}

void calotype_gtk_view_set_loading(void *overlay, bool loading) {
    View *view = calotype_view_of(overlay);
    // The progress bar may still show the progress of the previous load.
    if (calotype_gtk_view_progress(overlay) >= 0) set_visible(view->bar, false);
    if (view->is_loading == loading) return;
    view->is_loading = loading;
    spin(view);
    set_visible(view->spinner, loading);
}

void calotype_gtk_view_set_progress(void *overlay, double fraction) {
    View *view = calotype_view_of(overlay);
    set_visible(view->bar, fraction >= 0 && fraction < 1);
    if (fraction >= 0) gtk_progress_bar_set_fraction(view->bar, fraction);
}

double calotype_gtk_view_progress(void *overlay) {
    GtkProgressBar *bar = calotype_view_of(overlay)->bar;
    return is_visible(bar) ? gtk_progress_bar_get_fraction(bar) : -1;
}

bool calotype_gtk_view_is_loading(void *overlay) { return calotype_view_of(overlay)->is_loading; }

/// The smallest view that shows a sentence under the sign of failure.
enum { SENTENCE_WIDTH = 220, SENTENCE_HEIGHT = 160 };

void *calotype_gtk_view_set_failure(void *overlay, const char *message, const char *button_label) {
    View *view = calotype_view_of(overlay);
    if (view->failure) gtk_overlay_remove_overlay(view->overlay, view->failure);
    bool had_failed = view->failure != NULL;
    view->failure = NULL;
    if (!message && !had_failed) return NULL;
    gtk_widget_set_tooltip_text(GTK_WIDGET(overlay), NULL);
    if (!message) {
        gtk_accessible_reset_property(GTK_ACCESSIBLE(view->image), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
        return NULL;
    }
    gtk_accessible_update_property(GTK_ACCESSIBLE(view->image), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, message, -1);
    view->failure = add(view, gtk_box_new(GTK_ORIENTATION_VERTICAL, 12), GTK_ALIGN_CENTER, GTK_ALIGN_CENTER);
    GtkBox *box = GTK_BOX(view->failure);
    GtkWidget *icon = gtk_image_new_from_icon_name("image-missing-symbolic");
    gtk_image_set_icon_size(GTK_IMAGE(icon), GTK_ICON_SIZE_LARGE);
    gtk_box_append(box, icon);
    if (gtk_widget_get_width(GTK_WIDGET(overlay)) < SENTENCE_WIDTH ||
        gtk_widget_get_height(GTK_WIDGET(overlay)) < SENTENCE_HEIGHT) {
        gtk_widget_set_tooltip_text(GTK_WIDGET(overlay), message);
        return NULL;
    }
    GtkWidget *sentence = gtk_label_new(message);
    gtk_label_set_wrap(GTK_LABEL(sentence), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(sentence), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_justify(GTK_LABEL(sentence), GTK_JUSTIFY_CENTER);
    gtk_label_set_max_width_chars(GTK_LABEL(sentence), 60);
    gtk_widget_set_margin_start(sentence, 12);
    gtk_widget_set_margin_end(sentence, 12);
    gtk_box_append(box, sentence);
    if (!button_label) return NULL;
    gtk_widget_set_can_target(view->failure, TRUE);
    GtkWidget *button = gtk_button_new_with_mnemonic(button_label);
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER);
    gtk_box_append(box, button);
    return button;
}

void calotype_gtk_view_set_badge(void *overlay, const char *letter, const char *tier) {
    View *view = calotype_view_of(overlay);
    if (view->badge) set_visible(view->badge, letter != NULL);
    if (!letter) return;
    if (!view->badge) view->badge = add(view, gtk_label_new(NULL), GTK_ALIGN_START, GTK_ALIGN_START);
    gtk_label_set_text(GTK_LABEL(view->badge), letter);
    const char *classes[] = {"calotype-badge", tier, NULL};
    gtk_widget_set_css_classes(view->badge, classes);
}

const char *calotype_gtk_view_badge(void *overlay) {
    GtkWidget *badge = calotype_view_of(overlay)->badge;
    return is_visible(badge) ? gtk_label_get_text(GTK_LABEL(badge)) : NULL;
}

#endif
