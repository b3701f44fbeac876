#ifndef CCALOTYPE_GTK_TURNS_H
#define CCALOTYPE_GTK_TURNS_H

#include <stdint.h>

/// Notes that work which began at that monotonic time, in microseconds, has ended now.
void calotype_gtk_note_turn(int64_t began);

#endif
