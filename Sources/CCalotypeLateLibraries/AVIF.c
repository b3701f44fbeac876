#ifdef __linux__
#include "Late.h"

#include <avif/avif.h>

// Programs are bound to the version of the interface that they were compiled with.
#if AVIF_VERSION >= 1000000
#define AVIF(result, name, parameters, arguments) LATE("libavif.so.16", result, name, parameters, arguments)
typedef avifResult profile_result;
#else
#define AVIF(result, name, parameters, arguments) LATE("libavif.so.15", result, name, parameters, arguments)
typedef void profile_result;
#endif

AVIF(void, avifFree, (void *memory), (memory))
AVIF(void, avifRWDataFree, (avifRWData * data), (data))
AVIF(const char *, avifResultToString, (avifResult result), (result))

AVIF(
    avifImage *, avifImageCreate, (uint32_t width, uint32_t height, uint32_t depth, avifPixelFormat format),
    (width, height, depth, format))
AVIF(void, avifImageDestroy, (avifImage * image), (image))
AVIF(
    profile_result, avifImageSetProfileICC, (avifImage * image, const uint8_t *icc, size_t count), (image, icc, count))
AVIF(void, avifRGBImageSetDefaults, (avifRGBImage * rgb, const avifImage *image), (rgb, image))
AVIF(avifResult, avifImageRGBToYUV, (avifImage * image, const avifRGBImage *rgb), (image, rgb))
AVIF(avifResult, avifImageYUVToRGB, (const avifImage *image, avifRGBImage *rgb), (image, rgb))

AVIF(avifDecoder *, avifDecoderCreate, (void), ())
AVIF(void, avifDecoderDestroy, (avifDecoder * decoder), (decoder))
AVIF(void, avifDecoderSetIO, (avifDecoder * decoder, avifIO *io), (decoder, io))
AVIF(
    avifResult, avifDecoderSetIOMemory, (avifDecoder * decoder, const uint8_t *bytes, size_t count),
    (decoder, bytes, count))
AVIF(avifResult, avifDecoderParse, (avifDecoder * decoder), (decoder))
AVIF(avifResult, avifDecoderNthImage, (avifDecoder * decoder, uint32_t frame), (decoder, frame))
AVIF(
    avifResult, avifDecoderNthImageTiming,
    (const avifDecoder *decoder, uint32_t frame, avifImageTiming *timing), (decoder, frame, timing))

AVIF(avifEncoder *, avifEncoderCreate, (void), ())
AVIF(void, avifEncoderDestroy, (avifEncoder * encoder), (encoder))
AVIF(
    avifResult, avifEncoderWrite, (avifEncoder * encoder, const avifImage *image, avifRWData *output),
    (encoder, image, output))
#endif
