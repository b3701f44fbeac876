/// What both ways of reading a PNG set up alike.
#ifndef CCALOTYPE_PNG_SHARED_H
#define CCALOTYPE_PNG_SHARED_H

#include "CCalotypePNG.h"

#include <png.h>

/// Limits, and what is passed over. May leave by `longjmp`.
void clt_png_configure(png_structp png, size_t metadata_limit);
/// What the header says.
void clt_png_describe(png_structp png, png_infop info, clt_png_header *header);
/// Asks for rows in one of the layouts. May leave by `longjmp`.
void clt_png_transform(png_structp png, png_infop info, bool keeps_16, clt_png_layout *layout, int32_t *passes);

#endif
