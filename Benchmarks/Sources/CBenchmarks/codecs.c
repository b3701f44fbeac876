#include "CBenchmarks.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <avif/avif.h>
#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>

struct jpeg_failure {
    struct jpeg_error_mgr manager;
    jmp_buf place;
};

static void leave_jpeg(j_common_ptr info) { longjmp(((struct jpeg_failure *)info->err)->place, 1); }

bool bench_decode_jpeg(const uint8_t *bytes, size_t count) {
    struct jpeg_decompress_struct info;
    struct jpeg_failure failure;
    uint8_t *volatile pixels = NULL;
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = leave_jpeg;
    if (setjmp(failure.place) != 0) {
        jpeg_destroy_decompress(&info);
        free(pixels);
        return false;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 4;
    pixels = malloc(stride * info.output_height);
    while (pixels != NULL && info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + stride * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    bool is_whole = info.output_scanline == info.output_height;
    if (is_whole) jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    free(pixels);
    return is_whole;
}

bool bench_decode_png(const uint8_t *bytes, size_t count) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, bytes, count)) return false;
    image.format = PNG_FORMAT_RGBA;
    void *pixels = malloc(PNG_IMAGE_SIZE(image));
    bool is_whole = pixels != NULL && png_image_finish_read(&image, NULL, pixels, 0, NULL);
    png_image_free(&image);
    free(pixels);
    return is_whole;
}

bool bench_decode_webp(const uint8_t *bytes, size_t count) {
    uint8_t *pixels = WebPDecodeRGBA(bytes, count, NULL, NULL);
    WebPFree(pixels);
    return pixels != NULL;
}

bool bench_decode_avif(const uint8_t *bytes, size_t count) {
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
        rgb.pixels = malloc((size_t)rgb.rowBytes * rgb.height);
        is_whole = rgb.pixels != NULL && avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK;
        free(rgb.pixels);
    }
    avifDecoderDestroy(decoder);
    return is_whole;
}
