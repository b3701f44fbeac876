#ifndef CCALOTYPE_GTK_TURNS_H
#define CCALOTYPE_GTK_TURNS_H

#include "CCalotypeGTK.h"

/// A turn that runs: which kind, and when it began.
typedef struct {
    int kind;
    bool is_measured;
    calotype_gtk_time began;
} calotype_gtk_turn;

calotype_gtk_turn calotype_gtk_begin_turn(int kind);
void calotype_gtk_end_turn(calotype_gtk_turn turn);

#define TURN(kind, statement)                                                                                          \
    do {                                                                                                               \
        calotype_gtk_turn turn = calotype_gtk_begin_turn(CALOTYPE_GTK_##kind);                                         \
        statement;                                                                                                     \
        calotype_gtk_end_turn(turn);                                                                                   \
    } while (0)

#endif
