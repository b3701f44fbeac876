#ifndef CCALOTYPE_GTK_TURNS_H
#define CCALOTYPE_GTK_TURNS_H

#include <stdint.h>

/// Processor time of this thread in microseconds, so that what other programs do on the machine does not count.
int64_t calotype_gtk_thread_time(void);

/// Notes that work which began at that thread time has ended now.
void calotype_gtk_note_turn(int64_t began);

#endif
