#ifndef CCALOTYPE_GTK_TURNS_H
#define CCALOTYPE_GTK_TURNS_H

#include "CCalotypeGTK.h"

/// A turn that runs: which kind, and when it began.
typedef struct {
    int kind;
    calotype_gtk_time began;
} calotype_gtk_turn;

calotype_gtk_turn calotype_gtk_begin_turn(int kind);
void calotype_gtk_end_turn(calotype_gtk_turn turn);

#endif
