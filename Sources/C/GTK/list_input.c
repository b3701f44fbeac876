#ifdef GTK

#include "list.h"

#include <math.h>

static void activate(List *list, guint position) {
    if (list->is_attached) list->callbacks.activate(list->callbacks.context, position);
}

static guint position_at(List *list, double x, double y) {
    GtkWidget *widget = gtk_widget_pick(list->view, x, y, GTK_PICK_DEFAULT);
    while (widget && gtk_widget_get_parent(widget) != list->view) widget = gtk_widget_get_parent(widget);
    Cell *cell = widget ? cells_of(list->cells, widget) : NULL;
    return cell ? cell->position : GTK_INVALID_LIST_POSITION;
}

static void pressed(GtkGestureClick *click, int count, double x, double y, List *list) {
    list->pressed_position = position_at(list, x, y);
    // The first click has activated the cell. Claiming the second keeps GTK from activating it again.
    if (count > 1) gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void released(List *list, int count, double x, double y) {
    guint position = position_at(list, x, y);
    if (count != 1 || position == GTK_INVALID_LIST_POSITION || position != list->pressed_position) return;
    calotype_list_select_only(list, position);
    activate(list, position);
}

// A click activates a cell. GTK's own property for that (single-click-activate) also selects the cell under the pointer when the
// keyboard scrolls, so that the arrow keys would continue from another cell.
void calotype_list_watch_activation(List *list) {
    g_signal_connect_swapped(list->view, "activate", G_CALLBACK(activate), list);
    // Where several positions can be selected, GTK's own clicks select them, with Control and Shift, and a double click activates.
    if (GTK_IS_MULTI_SELECTION(list->selection)) return;
    GtkGesture *click = gtk_gesture_click_new();
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
    g_signal_connect(click, "pressed", G_CALLBACK(pressed), list);
    g_signal_connect_swapped(click, "released", G_CALLBACK(released), list);
    calotype_list_keep(list, G_OBJECT(click));
    gtk_widget_add_controller(list->view, GTK_EVENT_CONTROLLER(click));
}

static gboolean key_pressed(List *list, guint key) {
    guint count = g_list_model_get_n_items(G_LIST_MODEL(list->items));
    if (count == 0) return FALSE;
    if (key == GDK_KEY_Home || key == GDK_KEY_KP_Home) calotype_list_request_position(list, 0, NAN);
    if (key == GDK_KEY_End || key == GDK_KEY_KP_End) calotype_list_request_position(list, count - 1, NAN);
    // GTK moves the focus.
    return FALSE;
}

void calotype_list_watch_keys(List *list) {
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(key_pressed), list);
    calotype_list_keep(list, G_OBJECT(keys));
    gtk_widget_add_controller(list->window, keys);
}

static gboolean wheel_turned(GtkEventControllerScroll *controller, double dx, double dy, List *list) {
    (void)dx;
    // GTK handles the events of a touchpad itself, one per frame.
#if GTK_CHECK_VERSION(4, 8, 0)
    if (gtk_event_controller_scroll_get_unit(controller) != GDK_SCROLL_UNIT_WHEEL) return FALSE;
#else
    (void)controller;
#endif
    if (!list->clock) return FALSE;
    list->wheel_steps += dy;
    calotype_list_scroll_soon(list);
    return TRUE;
}

void calotype_list_watch_wheel(List *list) {
    GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
    gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE);
    g_signal_connect(wheel, "scroll", G_CALLBACK(wheel_turned), list);
    calotype_list_keep(list, G_OBJECT(wheel));
    gtk_widget_add_controller(list->window, wheel);
}

#endif
