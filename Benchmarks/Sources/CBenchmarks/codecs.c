// For MAP_ANONYMOUS and madvise.
#define _DEFAULT_SOURCE
#include "CBenchmarks.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <avif/avif.h>
#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>

enum { large_page = 2 << 20 };

// The memory of an image. That of malloc is often the block of the previous image, which is mapped already.
struct block {
    uint8_t *pixels;
    /// New memory from the system; `NULL` for memory of malloc.
    void *mapping;
    size_t length;
};

/// New memory comes in large pages, like that of Calotype's bitmaps.
static struct block allocate(size_t count, bool is_new) {
    struct block block = {0};
    if (!is_new) {
        block.pixels = malloc(count);
        return block;
    }
    size_t length = count + 2 * large_page;
    void *mapping = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return block;
    // A large page begins at a multiple of its size.
    block.pixels = (uint8_t *)mapping + (-(uintptr_t)mapping & (large_page - 1));
    block.mapping = mapping;
    block.length = length;
#ifdef MADV_HUGEPAGE
    // The last page is a large one if more than half of it is used.
    size_t rest = count & (large_page - 1);
    madvise(block.pixels, rest > large_page / 2 ? count - rest + large_page : count, MADV_HUGEPAGE);
#endif
    return block;
}

static void release(struct block block) {
    if (block.mapping == NULL) {
        free(block.pixels);
    } else {
        munmap(block.mapping, block.length);
    }
}

struct jpeg_failure {
    struct jpeg_error_mgr manager;
    jmp_buf place;
    struct block block;
};

static void leave_jpeg(j_common_ptr info) { longjmp(((struct jpeg_failure *)info->err)->place, 1); }

bool bench_decode_jpeg(const uint8_t *bytes, size_t count, bool uses_new_memory) {
    struct jpeg_decompress_struct info;
    struct jpeg_failure failure;
    failure.block = (struct block){0};
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = leave_jpeg;
    if (setjmp(failure.place) != 0) {
        jpeg_destroy_decompress(&info);
        release(failure.block);
        return false;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 4;
    failure.block = allocate(stride * info.output_height, uses_new_memory);
    uint8_t *pixels = failure.block.pixels;
    while (pixels != NULL && info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + stride * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    bool is_whole = info.output_scanline == info.output_height;
    if (is_whole) jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    release(failure.block);
    return is_whole;
}

bool bench_decode_png(const uint8_t *bytes, size_t count, bool uses_new_memory) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, bytes, count)) return false;
    image.format = PNG_FORMAT_RGBA;
    struct block block = allocate(PNG_IMAGE_SIZE(image), uses_new_memory);
    bool is_whole = block.pixels != NULL && png_image_finish_read(&image, NULL, block.pixels, 0, NULL);
    png_image_free(&image);
    release(block);
    return is_whole;
}

bool bench_decode_webp(const uint8_t *bytes, size_t count, bool uses_new_memory) {
    int width, height;
    if (!WebPGetInfo(bytes, count, &width, &height)) return false;
    size_t stride = (size_t)width * 4, size = stride * (size_t)height;
    struct block block = allocate(size, uses_new_memory);
    bool is_whole = block.pixels != NULL && WebPDecodeRGBAInto(bytes, count, block.pixels, size, (int)stride) != NULL;
    release(block);
    return is_whole;
}

bool bench_decode_avif(const uint8_t *bytes, size_t count, bool uses_new_memory) {
    avifDecoder *decoder = avifDecoderCreate();
    if (decoder == NULL) return false;
    decoder->maxThreads = 1;
    avifRGBImage rgb = {0};
    bool is_whole = avifDecoderSetIOMemory(decoder, bytes, count) == AVIF_RESULT_OK &&
                    avifDecoderParse(decoder) == AVIF_RESULT_OK && avifDecoderNextImage(decoder) == AVIF_RESULT_OK;
    if (is_whole) {
        avifRGBImageSetDefaults(&rgb, decoder->image);
        rgb.depth = 8;
        rgb.format = AVIF_RGB_FORMAT_RGBA;
        rgb.rowBytes = rgb.width * 4;
        struct block block = allocate((size_t)rgb.rowBytes * rgb.height, uses_new_memory);
        rgb.pixels = block.pixels;
        is_whole = rgb.pixels != NULL && avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK;
        release(block);
    }
    avifDecoderDestroy(decoder);
    return is_whole;
}
