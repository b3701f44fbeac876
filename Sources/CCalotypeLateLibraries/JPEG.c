#ifdef __linux__
#include "Late.h"

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

// The library's number is that of the interface that it was built with.
#if JPEG_LIB_VERSION >= 80
#define JPEG(...) LATE_BY_TYPES("libjpeg.so.8", __VA_ARGS__)
#else
#define JPEG(...) LATE_BY_TYPES("libjpeg.so.62", __VA_ARGS__)
#endif

JPEG(void, jpeg_CreateCompress, j_compress_ptr, int, size_t)
JPEG(void, jpeg_CreateDecompress, j_decompress_ptr, int, size_t)
JPEG(int, jpeg_consume_input, j_decompress_ptr)
JPEG(void, jpeg_destroy_compress, j_compress_ptr)
JPEG(void, jpeg_destroy_decompress, j_decompress_ptr)
JPEG(void, jpeg_finish_compress, j_compress_ptr)
JPEG(boolean, jpeg_finish_output, j_decompress_ptr)
JPEG(boolean, jpeg_has_multiple_scans, j_decompress_ptr)
JPEG(void, jpeg_mem_dest, j_compress_ptr, unsigned char **, unsigned long *)
JPEG(int, jpeg_read_header, j_decompress_ptr, boolean)
JPEG(JDIMENSION, jpeg_read_scanlines, j_decompress_ptr, JSAMPARRAY, JDIMENSION)
JPEG(boolean, jpeg_resync_to_restart, j_decompress_ptr, int)
JPEG(void, jpeg_save_markers, j_decompress_ptr, int, unsigned int)
JPEG(void, jpeg_set_defaults, j_compress_ptr)
JPEG(void, jpeg_set_quality, j_compress_ptr, int, boolean)
JPEG(void, jpeg_simple_progression, j_compress_ptr)
JPEG(void, jpeg_start_compress, j_compress_ptr, boolean)
JPEG(boolean, jpeg_start_decompress, j_decompress_ptr)
JPEG(boolean, jpeg_start_output, j_decompress_ptr, int)
JPEG(struct jpeg_error_mgr *, jpeg_std_error, struct jpeg_error_mgr *)
JPEG(void, jpeg_write_m_byte, j_compress_ptr, int)
JPEG(void, jpeg_write_m_header, j_compress_ptr, int, unsigned int)
JPEG(JDIMENSION, jpeg_write_scanlines, j_compress_ptr, JSAMPARRAY, JDIMENSION)
#endif
