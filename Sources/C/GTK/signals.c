#ifdef GTK

#include "CCalotypeGTK.h"

#include <glib-object.h>

// A closure that passes the arguments of any signal as values, so that one function can handle all signals.
typedef struct {
    GClosure closure;
    bool (*call)(void *context, const void *values, unsigned count);
    void *context;
    void (*release)(void *context);
} Closure;

static void marshal(GClosure *closure, GValue *result, guint count, const GValue *values, gpointer hint, gpointer data) {
    (void)hint;
    (void)data;
    Closure *self = (Closure *)(void *)closure;
    // The first value is the object itself.
    bool is_handled = self->call(self->context, values + 1, count - 1);
    if (result && G_VALUE_HOLDS_BOOLEAN(result)) g_value_set_boolean(result, is_handled);
}

static void invalidated(gpointer data, GClosure *closure) {
    (void)data;
    Closure *self = (Closure *)(void *)closure;
    self->release(self->context);
}

unsigned long calotype_gtk_connect(void *object, const char *signal, bool runs_after,
                                   bool (*call)(void *context, const void *values, unsigned count), void *context,
                                   void (*release)(void *context)) {
    GClosure *closure = g_closure_new_simple(sizeof(Closure), NULL);
    Closure *self = (Closure *)(void *)closure;
    self->call = call;
    self->context = context;
    self->release = release;
    g_closure_set_marshal(closure, marshal);
    g_closure_add_invalidate_notifier(closure, NULL, invalidated);
    g_closure_ref(closure);
    g_closure_sink(closure);
    unsigned long handler = g_signal_connect_closure(object, signal, closure, runs_after);
    // Without a handler, for example because the object has no such signal, nothing else would release the context.
    if (handler == 0) g_closure_invalidate(closure);
    g_closure_unref(closure);
    return handler;
}

void calotype_gtk_disconnect(void *object, unsigned long handler) { g_signal_handler_disconnect(object, handler); }

bool calotype_gtk_value_number(const void *values, unsigned index, double *number) {
    const GValue *value = (const GValue *)values + index;
    GValue result = G_VALUE_INIT;
    g_value_init(&result, G_TYPE_DOUBLE);
    bool is_number = true;
    if (G_VALUE_HOLDS_BOOLEAN(value)) {
        *number = g_value_get_boolean(value);
    } else if (G_VALUE_HOLDS_FLAGS(value)) {
        *number = g_value_get_flags(value);
    } else if (G_VALUE_HOLDS_ENUM(value)) {
        *number = g_value_get_enum(value);
    } else {
        is_number = g_value_type_transformable(G_VALUE_TYPE(value), G_TYPE_DOUBLE) && g_value_transform(value, &result);
        if (is_number) *number = g_value_get_double(&result);
    }
    g_value_unset(&result);
    return is_number;
}

void *calotype_gtk_value_pointer(const void *values, unsigned index) {
    const GValue *value = (const GValue *)values + index;
    return g_value_fits_pointer(value) && !G_VALUE_HOLDS_STRING(value) ? g_value_peek_pointer(value) : NULL;
}

const char *calotype_gtk_value_string(const void *values, unsigned index) {
    const GValue *value = (const GValue *)values + index;
    return G_VALUE_HOLDS_STRING(value) ? g_value_get_string(value) : NULL;
}

#endif
