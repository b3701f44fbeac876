#ifdef GTK

#include "list.h"

#include <math.h>

static void selection_changed(List *list) {
    if (list->is_attached) list->callbacks.selection_changed(list->callbacks.context);
}

static void items_changed(List *list, guint position, guint removed) {
    (void)position;
    if (removed > 0) selection_changed(list);
}

void calotype_list_add_items(List *list, bool selects_several) {
    list->items = gtk_string_list_new(NULL);
    GListModel *items = G_LIST_MODEL(list->items);
    if (selects_several) {
        list->selection = GTK_SELECTION_MODEL(gtk_multi_selection_new(items));
        g_signal_connect_swapped(list->selection, "selection-changed", G_CALLBACK(selection_changed), list);
        g_signal_connect_swapped(list->selection, "items-changed", G_CALLBACK(items_changed), list);
    } else {
        list->selection = GTK_SELECTION_MODEL(gtk_single_selection_new(items));
        // It selects another item when its item is removed, without the signal `selection-changed`.
        g_signal_connect_swapped(list->selection, "notify::selected-item", G_CALLBACK(selection_changed), list);
    }
}

void calotype_gtk_list_splice(void *widget, unsigned position, unsigned removed, unsigned added) {
    List *list = calotype_list_of(widget);
    const char **additions = g_new0(const char *, (size_t)added + 1);
    // Only the positions of the items matter, not their text.
    for (unsigned i = 0; i < added; i++) additions[i] = "";
    gtk_string_list_splice(list->items, position, removed, additions);
    g_free((gpointer)additions);
    calotype_list_update_soon(list);
}

guint calotype_list_selected(List *list) {
    GtkBitset *selected = gtk_selection_model_get_selection(list->selection);
    guint first = gtk_bitset_is_empty(selected) ? GTK_INVALID_LIST_POSITION : gtk_bitset_get_minimum(selected);
    gtk_bitset_unref(selected);
    return first;
}

void calotype_list_select_only(List *list, guint position) { gtk_selection_model_select_item(list->selection, position, TRUE); }

void calotype_gtk_list_select(void *widget, unsigned position) {
    List *list = calotype_list_of(widget);
    if (position >= g_list_model_get_n_items(G_LIST_MODEL(list->items))) return;
    calotype_list_select_only(list, position);
    calotype_list_request_position(list, position, NAN);
}

unsigned calotype_gtk_list_selection(void *widget, unsigned *positions, unsigned capacity) {
    GtkBitset *selected = gtk_selection_model_get_selection(calotype_list_of(widget)->selection);
    unsigned count = (unsigned)gtk_bitset_get_size(selected);
    for (unsigned i = 0; i < MIN(count, capacity); i++) positions[i] = gtk_bitset_get_nth(selected, i);
    gtk_bitset_unref(selected);
    return count;
}

void calotype_gtk_list_set_selection(void *widget, const unsigned *positions, unsigned count) {
    List *list = calotype_list_of(widget);
    if (GTK_IS_SINGLE_SELECTION(list->selection)) {
        if (count > 0) calotype_list_select_only(list, positions[0]);
        return;
    }
    guint items = g_list_model_get_n_items(G_LIST_MODEL(list->items));
    GtkBitset *selected = gtk_bitset_new_empty(), *all = gtk_bitset_new_range(0, items);
    for (unsigned i = 0; i < count; i++) {
        if (positions[i] < items) gtk_bitset_add(selected, positions[i]);
    }
    gtk_selection_model_set_selection(list->selection, selected, all);
    gtk_bitset_unref(selected);
    gtk_bitset_unref(all);
}

#endif
