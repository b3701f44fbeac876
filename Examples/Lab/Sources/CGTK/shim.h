#define GDK_DISABLE_DEPRECATION_WARNINGS
#include <gtk/gtk.h>

// The type of truth values; Swift does not import the macro.
static const GType lab_type_boolean = G_TYPE_BOOLEAN;
