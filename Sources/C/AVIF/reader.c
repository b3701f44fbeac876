#include "CCalotypeAVIF.h"

#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>

struct clt_avif_reader {
    avifDecoder *decoder;
    const char *message;
    avifIO io;
    const uint8_t *bytes;
    size_t count;
    bool is_last, ignores_alpha;
    /// The first frame that could not be decoded from the start of the sequence.
    uint32_t failed_frame;
};

static clt_status status_of(avifResult result) {
    switch (result) {
    case AVIF_RESULT_OK: return CLT_OK;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_WAITING_ON_IO:
    case AVIF_RESULT_NO_CONTENT: return CLT_NEEDS_INPUT;
    case AVIF_RESULT_NOT_IMPLEMENTED:
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_UNSUPPORTED_DEPTH: return CLT_UNSUPPORTED;
#if AVIF_VERSION >= 110000
    case AVIF_RESULT_OUT_OF_MEMORY: return CLT_NO_MEMORY;
#endif
    default: return CLT_CORRUPT;
    }
}

static clt_status finished(clt_avif_reader *reader, avifResult result) {
    if (result == AVIF_RESULT_OK) return CLT_OK;
    reader->message = avifResultToString(result);
    if (reader->decoder->diag.error[0] != 0) reader->message = reader->decoder->diag.error;
    if (strstr(reader->message, "too large")) return CLT_TOO_LARGE;
    // When a box or a part of the image lies beyond the end, libavif reports a damaged file and adds "Truncated data?".
    // The end of a file in pieces is not known.
    if (reader->is_last && strstr(reader->message, "runcated data")) return CLT_NEEDS_INPUT;
    return status_of(result);
}

static avifResult read_part(avifIO *io, uint32_t flags, uint64_t offset, size_t size, avifROData *part) {
    const clt_avif_reader *reader = io->data;
    avifResult missing = reader->is_last ? AVIF_RESULT_IO_ERROR : AVIF_RESULT_WAITING_ON_IO;
    if (flags != 0 || offset > reader->count) return missing;
    size_t rest = reader->count - (size_t)offset;
    if (size > rest && !reader->is_last) return missing;
    part->data = reader->bytes + offset;
    part->size = size < rest ? size : rest;
    return AVIF_RESULT_OK;
}

/// Does nothing: the struct is part of the reader.
static void destroy_io(avifIO *io) { (void)io; }

clt_avif_reader *clt_avif_reader_create(uint32_t frame_limit, bool shows_layers) {
    clt_avif_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->message = "";
    reader->failed_frame = UINT32_MAX;
    reader->decoder = avifDecoderCreate();
    if (!reader->decoder) {
        free(reader);
        return NULL;
    }
    avifDecoder *decoder = reader->decoder;
    decoder->maxThreads = 1;
    decoder->ignoreExif = AVIF_TRUE;
    decoder->ignoreXMP = AVIF_TRUE;
    decoder->allowProgressive = shows_layers;
    // Real files lack `pixi`, crop by odd amounts or have no size for alpha, and decode nevertheless.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    // The caller checks the size of the header; this is libavif's own limit.
    decoder->imageSizeLimit = AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
#if AVIF_VERSION >= 110000
    decoder->imageDimensionLimit = 0;
#endif
    decoder->imageCountLimit = frame_limit;
    reader->io.read = read_part;
    reader->io.destroy = destroy_io;
    reader->io.data = reader;
    // The caller's buffer may move.
    reader->io.persistent = AVIF_FALSE;
    avifDecoderSetIO(decoder, &reader->io);
    return reader;
}

void clt_avif_reader_supply(clt_avif_reader *reader, const uint8_t *bytes, size_t count, bool is_last) {
    reader->bytes = bytes;
    reader->count = count;
    reader->is_last = is_last;
    // libavif allocates the size that the file declares for an item. While the length of the file is unknown, the hint
    // rejects a declared size of gigabytes until as much has arrived.
    const uint64_t plausible = (uint64_t)64 << 20;
    reader->io.sizeHint = is_last || count > plausible ? count : plausible;
}

void clt_avif_reader_destroy(clt_avif_reader *reader) {
    if (!reader) return;
    avifDecoderDestroy(reader->decoder);
    free(reader);
}

static void describe(const clt_avif_reader *reader, clt_avif_header *header) {
    const avifDecoder *decoder = reader->decoder;
    const avifImage *image = decoder->image;
    header->width = image->width;
    header->height = image->height;
    header->depth = (int32_t)image->depth;
    header->is_gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
    header->has_alpha = !reader->ignores_alpha && (decoder->alphaPresent || image->alphaPlane);
    header->is_layered = decoder->progressiveState != AVIF_PROGRESSIVE_STATE_UNAVAILABLE;
    header->frames = decoder->imageCount;
    header->quarter_turns = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0;
    header->mirror_axis = -1;
    if (image->transformFlags & AVIF_TRANSFORM_IMIR) {
#if AVIF_VERSION >= 1000000
        header->mirror_axis = image->imir.axis;
#else
        header->mirror_axis = image->imir.mode;
#endif
    }
    header->has_aperture = (image->transformFlags & AVIF_TRANSFORM_CLAP) != 0;
    const avifCleanApertureBox *clap = &image->clap;
    // The offsets are signed; their type differs between versions of libavif.
    const uint32_t aperture[8] = {
        clap->widthN, clap->widthD, clap->heightN, clap->heightD, (uint32_t)clap->horizOffN, (uint32_t)clap->horizOffD,
        (uint32_t)clap->vertOffN, (uint32_t)clap->vertOffD,
    };
    memcpy(header->aperture, aperture, sizeof aperture);
    header->primaries = image->colorPrimaries;
    header->transfer = image->transferCharacteristics;
}

/// Limits the pixels of each part that libavif decodes: a cell of a grid, a layer, the alpha image. libavif scales a
/// part to the size that the part declares for itself, before it compares that with the image. Cells reach over the
/// right and the lower edge by less than their own size, so no valid part has more than four times the pixels of the
/// whole. Small images are exempt, because their cells may have a minimum size.
static void limit_parts(avifDecoder *decoder) {
    const uint64_t exempt = (uint64_t)1 << 20;
    uint64_t limit = 4 * (uint64_t)decoder->image->width * decoder->image->height;
    if (limit < exempt) limit = exempt;
    if (limit < decoder->imageSizeLimit) decoder->imageSizeLimit = (uint32_t)limit;
}

clt_status clt_avif_reader_read_header(clt_avif_reader *reader, clt_avif_header *header) {
    clt_status status = finished(reader, avifDecoderParse(reader->decoder));
    if (status == CLT_OK) {
        limit_parts(reader->decoder);
        describe(reader, header);
    }
    return status;
}

void clt_avif_reader_ignore_alpha(clt_avif_reader *reader, clt_avif_header *header) {
    reader->ignores_alpha = true;
    describe(reader, header);
}

bool clt_avif_reader_profile(const clt_avif_reader *reader, const uint8_t **bytes, size_t *count) {
    const avifImage *image = reader->decoder->image;
    if (!image || image->icc.size == 0) return false;
    *bytes = image->icc.data;
    *count = image->icc.size;
    return true;
}

bool clt_avif_reader_duration(const clt_avif_reader *reader, uint32_t frame, double *seconds) {
    avifImageTiming timing;
    if (avifDecoderNthImageTiming(reader->decoder, frame, &timing) != AVIF_RESULT_OK) return false;
    *seconds = timing.duration;
    return true;
}

/// Decodes all frames up to `frame`. A sequence that marks dependent frames as key frames cannot be decoded otherwise.
static avifResult decode_from_start(clt_avif_reader *reader, uint32_t frame) {
    avifResult result = avifDecoderReset(reader->decoder);
    for (uint32_t next = 0; result == AVIF_RESULT_OK && next <= frame; next++) {
        result = avifDecoderNextImage(reader->decoder);
        if (result != AVIF_RESULT_OK) reader->failed_frame = next;
    }
    return result;
}

clt_status clt_avif_reader_decode(clt_avif_reader *reader, uint32_t frame, clt_avif_header *header) {
    avifDecoder *decoder = reader->decoder;
    // Whether libavif starts at a key frame after the first frame.
    bool jumps = avifDecoderNearestKeyframe(decoder, frame) > 0 && (int64_t)frame != (int64_t)decoder->imageIndex + 1;
    avifResult result = avifDecoderNthImage(decoder, frame);
    if (result != AVIF_RESULT_OK && jumps && reader->is_last && frame < reader->failed_frame) {
        result = decode_from_start(reader, frame);
    }
    clt_status status = finished(reader, result);
    if (status == CLT_OK) describe(reader, header);
    return status;
}

/// Makes a grey image one whose chroma is neutral, in one row that stands for all. libavif 0.11 does not expand 8-bit
/// luminance of limited range otherwise. Returns the row, which the caller frees; NULL without memory.
static void *add_chroma(avifImage *image) {
    uint16_t *row = malloc(image->width * sizeof *row);
    if (!row) return NULL;
    for (uint32_t x = 0; x < image->width; x++) row[x] = image->depth == 8 ? 0x8080 : (uint16_t)(1 << (image->depth - 1));
    image->yuvFormat = AVIF_PIXEL_FORMAT_YUV444;
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    for (int plane = 1; plane < 3; plane++) {
        image->yuvPlanes[plane] = (uint8_t *)row;
        image->yuvRowBytes[plane] = 0;
    }
    return row;
}

/// Keeps one sample of each pixel.
static void keep_gray(uint8_t *row, uint32_t width, size_t sample) {
    for (uint32_t x = 0; x < width; x++) memmove(row + x * sample, row + 4 * x * sample, sample);
}

clt_status clt_avif_reader_convert(
    clt_avif_reader *reader, uint32_t first, uint32_t rows, bool is_gray, bool is_16, uint8_t *target, size_t stride) {
    const avifImage *image = reader->decoder->image;
    if (!image || rows == 0 || first >= image->height || rows > image->height - first) return CLT_CORRUPT;
    avifImage view = *image;
    if (reader->ignores_alpha) {
        view.alphaPlane = NULL;
        view.alphaPremultiplied = AVIF_FALSE;
    }
    bool has_chroma = image->yuvFormat != AVIF_PIXEL_FORMAT_YUV400;
    void *chroma = has_chroma ? NULL : add_chroma(&view);
    if (!has_chroma && !chroma) return CLT_NO_MEMORY;
    // The view begins at row `first` of the same planes. `first` must be even when chroma has half the rows.
    view.height = rows;
    bool halves = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420;
    if (halves && first % 2 != 0) return CLT_CORRUPT;
    view.yuvPlanes[0] += (size_t)first * image->yuvRowBytes[0];
    for (int plane = 1; has_chroma && plane < 3; plane++) {
        view.yuvPlanes[plane] += (size_t)(halves ? first / 2 : first) * image->yuvRowBytes[plane];
    }
    if (view.alphaPlane) view.alphaPlane += (size_t)first * image->alphaRowBytes;
    avifRGBImage rgb;
    memset(&rgb, 0, sizeof rgb);
    avifRGBImageSetDefaults(&rgb, &view);
    rgb.format = AVIF_RGB_FORMAT_RGBA;
    rgb.depth = is_16 ? 16 : 8;
#if AVIF_VERSION >= 110000
    // libyuv truncates samples of more than 8 bits instead of rounding them, which is up to 5 levels too dark. For grey
    // images it is a level off.
    rgb.avoidLibYUV = image->depth > 8 || !has_chroma;
#endif
    rgb.pixels = target;
    rgb.rowBytes = (uint32_t)stride;
    avifResult result = avifImageYUVToRGB(&view, &rgb);
    free(chroma);
    for (uint32_t y = 0; is_gray && y < rows; y++) keep_gray(target + y * stride, image->width, is_16 ? 2 : 1);
    if (result == AVIF_RESULT_OK) return CLT_OK;
    reader->message = avifResultToString(result);
    // The samples were decoded, so the file is not damaged.
    if (result != AVIF_RESULT_REFORMAT_FAILED && result != AVIF_RESULT_NOT_IMPLEMENTED) return status_of(result);
    reader->message = "libavif cannot convert its color matrix to RGB";
    return CLT_UNSUPPORTED;
}

const char *clt_avif_reader_message(const clt_avif_reader *reader) { return reader->message; }
