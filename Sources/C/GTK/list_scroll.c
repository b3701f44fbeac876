#ifdef GTK

#include "list.h"

#include <math.h>

static GtkAdjustment *adjustment(List *list) { return gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(list->view)); }

static bool scroll_to(List *list, double value) {
    double before = gtk_adjustment_get_value(adjustment(list));
    gtk_adjustment_set_value(adjustment(list), value);
    return gtk_adjustment_get_value(adjustment(list)) != before;
}

void calotype_list_scroll_soon(List *list) {
    if (list->clock) gdk_frame_clock_request_phase(list->clock, GDK_FRAME_CLOCK_PHASE_UPDATE);
}

bool calotype_list_scroll(List *list) {
    double value = isnan(list->wanted_offset) ? gtk_adjustment_get_value(adjustment(list)) : list->wanted_offset;
    // One step scrolls as far as a step of GTK's own scrolling.
    value += list->wheel_steps * pow(gtk_adjustment_get_page_size(adjustment(list)), 2.0 / 3.0);
    list->wheel_steps = 0;
    list->wanted_offset = NAN;
    return scroll_to(list, value);
}

void calotype_list_request_position(List *list, guint position, double top) {
    list->wanted_position = position;
    list->wanted_top = top;
    list->has_asked_gtk = false;
    list->wanted_offset = NAN;
    calotype_list_update_soon(list);
}

// A position without a cell takes two layouts: GTK first scrolls near it, and then its cell has exact bounds.
bool calotype_list_go_to_position(List *list) {
    guint position = list->wanted_position;
    if (position == GTK_INVALID_LIST_POSITION) return false;
    Cell *cell = cells_at(list->cells, position);
    double top, height, page = gtk_widget_get_height(list->window);
    if (cell && cell_place(cell, list->window, &top, &height)) {
        list->wanted_position = GTK_INVALID_LIST_POSITION;
        double nearest = top < 0 ? 0 : MIN(top, MAX(0, page - height));
        double wanted_top = isnan(list->wanted_top) ? nearest : list->wanted_top;
        return scroll_to(list, gtk_adjustment_get_value(adjustment(list)) + top - wanted_top);
    }
    bool asks = !list->has_asked_gtk && gtk_widget_activate_action(list->view, "list.scroll-to-item", "u", position);
    list->has_asked_gtk = true;
    if (!asks) list->wanted_position = GTK_INVALID_LIST_POSITION;
    return asks;
}

double calotype_gtk_list_offset(void *widget, double *maximum) {
    List *list = calotype_list_of(widget);
    double page = gtk_adjustment_get_page_size(adjustment(list));
    *maximum = MAX(0, gtk_adjustment_get_upper(adjustment(list)) - page);
    if (isnan(list->wanted_offset)) return gtk_adjustment_get_value(adjustment(list));
    return CLAMP(list->wanted_offset, 0, *maximum);
}

void calotype_gtk_list_set_offset(void *widget, double offset) {
    List *list = calotype_list_of(widget);
    list->wanted_offset = offset;
    list->wheel_steps = 0;
    list->wanted_position = GTK_INVALID_LIST_POSITION;
    calotype_list_scroll_soon(list);
}

#endif
