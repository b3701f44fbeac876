/// The setup that the reader of complete files and the reader of files in pieces share.
#ifndef CCALOTYPE_PNG_SHARED_H
#define CCALOTYPE_PNG_SHARED_H

#include "CCalotypePNG.h"

#include <png.h>

/// Sets limits and the chunks to ignore. May call `longjmp`.
void clt_png_configure(png_structp png, size_t metadata_limit);
/// Copies the properties of the image header.
void clt_png_describe(png_structp png, png_infop info, clt_png_header *header);
/// Configures libpng to return rows in one of the layouts. May call `longjmp`.
void clt_png_transform(png_structp png, png_infop info, bool keeps_16, clt_png_layout *layout, int32_t *passes);

#endif
