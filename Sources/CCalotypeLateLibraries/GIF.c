#ifdef __linux__
#include "Late.h"

#include <gif_lib.h>

#define GIF(...) LATE_BY_TYPES("libgif.so.7", __VA_ARGS__)

GIF(int, DGifCloseFile, GifFileType *, int *)
GIF(int, DGifGetImageDesc, GifFileType *)
GIF(int, DGifGetLine, GifFileType *, GifPixelType *, int)
GIF(int, DGifGetRecordType, GifFileType *, GifRecordType *)
GIF(GifFileType *, DGifOpen, void *, InputFunc, int *)
#endif
