/// What the reading and the writing of PNG share.
#ifndef CCALOTYPE_PNG_SHARED_H
#define CCALOTYPE_PNG_SHARED_H

#include "CCalotypePNG.h"

#include <png.h>

/// What libpng reported last.
typedef struct {
    char message[160];
    bool hit_end, out_of_memory;
} clt_png_failure;

/// Error functions of libpng. The pointer for errors is a `clt_png_failure`.
void clt_png_on_error(png_structp png, png_const_charp text);
void clt_png_on_warning(png_structp png, png_const_charp text);
clt_status clt_png_status_of(const clt_png_failure *failure);

#endif
