#include "shared.h"

void clt_png_configure(png_structp png, size_t metadata_limit) {
    // The caller checks width × height; these are the limits of the format.
    png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_chunk_malloc_max(png, metadata_limit);
    png_set_benign_errors(png, 1);
#ifdef PNG_SKIP_sRGB_CHECK_PROFILE
    png_set_option(png, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
#endif
    // Text may be compressed by a factor of a thousand, and no caller needs it.
    static const png_byte ignored[] = "tEXt\0zTXt\0iTXt\0eXIf\0hIST\0sPLT\0pCAL\0sCAL\0tIME";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, ignored, (int)(sizeof ignored / 5));
}

// libpng before 1.6.45 still reports a tRNS chunk that it dropped, so that only the entries themselves prove transparency.
static bool has_transparency(png_structp png, png_infop info) {
    png_bytep alpha = NULL;
    png_color_16p color = NULL;
    int count = 0;
    return png_get_tRNS(png, info, &alpha, &count, &color) != 0 && count > 0;
}

void clt_png_describe(png_structp png, png_infop info, clt_png_header *header) {
    int color = png_get_color_type(png, info);
    header->width = png_get_image_width(png, info);
    header->height = png_get_image_height(png, info);
    header->bit_depth = png_get_bit_depth(png, info);
    header->is_gray = !(color & PNG_COLOR_MASK_COLOR);
    header->is_palette = (color & PNG_COLOR_MASK_PALETTE) != 0;
    header->has_alpha_channel = (color & PNG_COLOR_MASK_ALPHA) != 0;
    header->has_transparent_color = has_transparency(png, info);
    header->is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
}

void clt_png_transform(png_structp png, png_infop info, bool keeps_16, clt_png_layout *layout, int32_t *passes) {
    int color = png_get_color_type(png, info);
    bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) || has_transparency(png, info);
    bool is_gray = !(color & PNG_COLOR_MASK_COLOR) && !has_alpha;
    bool is_16 = keeps_16 && png_get_bit_depth(png, info) == 16;
    png_set_expand(png);
    if (is_16) {
        const uint16_t one = 1;
        if (*(const uint8_t *)&one == 1) png_set_swap(png);
    } else {
        png_set_scale_16(png);
    }
    if (!is_gray) {
        png_set_gray_to_rgb(png);
        if (!has_alpha) png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
    }
    *passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    *layout = is_gray ? (is_16 ? CLT_PNG_GRAY16 : CLT_PNG_GRAY8) : (is_16 ? CLT_PNG_RGBA16 : CLT_PNG_RGBA8);
    // The caller's memory has this layout, so libpng must write exactly this many bytes for each row.
    size_t row = (size_t)png_get_image_width(png, info) * (is_gray ? 1 : 4) * (is_16 ? 2 : 1);
    if (png_get_rowbytes(png, info) != row) png_error(png, "the rows do not have the announced layout");
}
