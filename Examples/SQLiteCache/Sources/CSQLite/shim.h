#include <sqlite3.h>

// Swift cannot call functions with variable arguments.
static inline int sqlite_shim_allow_reset(sqlite3 *database, int is_allowed) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, is_allowed, (int *)0);
}
