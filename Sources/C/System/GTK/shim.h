#define GDK_DISABLE_DEPRECATION_WARNINGS
#include <glib-unix.h>
#include <gtk/gtk.h>

// Types of values; Swift does not import these macros.
static const GType clt_type_boolean = G_TYPE_BOOLEAN;
static const GType clt_type_double = G_TYPE_DOUBLE;
static const GType clt_type_enum = G_TYPE_ENUM;
static const GType clt_type_flags = G_TYPE_FLAGS;
static const GType clt_type_object = G_TYPE_OBJECT;
static const GType clt_type_string = G_TYPE_STRING;

// Functions of libdispatch for other main loops. Its public headers do not declare them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);
