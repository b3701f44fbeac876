#ifdef GTK

#include "list.h"

static const char cell_key[] = "calotype-cell";

static Cell *cell_of(GtkListItem *item) { return g_object_get_data(G_OBJECT(item), cell_key); }

// Cells keep their items when items before them are inserted or removed.
static void position_changed(GtkListItem *item, GParamSpec *property, List *list) {
    (void)property;
    Cell *cell = cell_of(item);
    guint position = gtk_list_item_get_position(item);
    if (!list->is_attached || !cell || cell->position == GTK_INVALID_LIST_POSITION) return;
    if (position == GTK_INVALID_LIST_POSITION || position == cell->position) return;
    cell->position = position;
    list->callbacks.move(list->callbacks.context, cell->owner, position);
}

static void setup_cell(List *list, GtkListItem *item) {
    if (!list->is_attached) return;
    Cell *cell = cells_add(list->cells);
    void *widget = NULL;
    cell->owner = list->callbacks.make_cell(list->callbacks.context, &widget);
    cell->widget = widget;
    g_object_set_data(G_OBJECT(item), cell_key, cell);
    gtk_list_item_set_child(item, cell->widget);
    g_signal_connect(item, "notify::position", G_CALLBACK(position_changed), list);
    calotype_list_keep(list, G_OBJECT(item));
}

static void bind_cell(List *list, GtkListItem *item) {
    Cell *cell = cell_of(item);
    if (!list->is_attached || !cell) return;
    cell_bind(cell, gtk_list_item_get_position(item));
    list->callbacks.bind(list->callbacks.context, cell->owner, cell->position);
    calotype_list_update_soon(list);
}

static void unbind_cell(List *list, GtkListItem *item) {
    Cell *cell = cell_of(item);
    if (!cell) return;
    cell_bind(cell, GTK_INVALID_LIST_POSITION);
    if (list->is_attached) list->callbacks.unbind(list->callbacks.context, cell->owner);
}

static void teardown_cell(List *list, GtkListItem *item) {
    Cell *cell = cell_of(item);
    g_object_set_data(G_OBJECT(item), cell_key, NULL);
    gtk_list_item_set_child(item, NULL);
    if (!cell) return;
    if (list->is_attached) list->callbacks.drop_cell(list->callbacks.context, cell->owner);
    g_ptr_array_remove_fast(list->cells, cell);
}

GtkListItemFactory *calotype_list_factory_new(List *list) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect_swapped(factory, "setup", G_CALLBACK(setup_cell), list);
    g_signal_connect_swapped(factory, "bind", G_CALLBACK(bind_cell), list);
    g_signal_connect_swapped(factory, "unbind", G_CALLBACK(unbind_cell), list);
    g_signal_connect_swapped(factory, "teardown", G_CALLBACK(teardown_cell), list);
    calotype_list_keep(list, G_OBJECT(factory));
    return factory;
}

#endif
