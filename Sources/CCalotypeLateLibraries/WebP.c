#ifdef __linux__
#include "Late.h"

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>

#define WEBP(...) LATE_BY_TYPES("libwebp.so.7", __VA_ARGS__)
#define DEMUX(...) LATE_BY_TYPES("libwebpdemux.so.2", __VA_ARGS__)

WEBP(int, WebPConfigInitInternal, WebPConfig *, WebPPreset, float, int)
WEBP(int, WebPEncode, const WebPConfig *, WebPPicture *)
WEBP(void, WebPFree, void *)
WEBP(void, WebPFreeDecBuffer, WebPDecBuffer *)
WEBP(int, WebPGetDecoderVersion)
WEBP(VP8StatusCode, WebPGetFeaturesInternal, const uint8_t *, size_t, WebPBitstreamFeatures *, int)
WEBP(VP8StatusCode, WebPIAppend, WebPIDecoder *, const uint8_t *, size_t)
WEBP(uint8_t *, WebPIDecGetRGB, const WebPIDecoder *, int *, int *, int *, int *)
WEBP(WebPIDecoder *, WebPIDecode, const uint8_t *, size_t, WebPDecoderConfig *)
WEBP(void, WebPIDelete, WebPIDecoder *)
WEBP(VP8StatusCode, WebPIUpdate, WebPIDecoder *, const uint8_t *, size_t)
WEBP(int, WebPInitDecoderConfigInternal, WebPDecoderConfig *, int)
WEBP(int, WebPMemoryWrite, const uint8_t *, size_t, const WebPPicture *)
WEBP(void, WebPMemoryWriterClear, WebPMemoryWriter *)
WEBP(void, WebPMemoryWriterInit, WebPMemoryWriter *)
WEBP(void, WebPPictureFree, WebPPicture *)
WEBP(int, WebPPictureImportRGBA, WebPPicture *, const uint8_t *, int)
WEBP(int, WebPPictureImportRGBX, WebPPicture *, const uint8_t *, int)
WEBP(int, WebPPictureInitInternal, WebPPicture *, int)

DEMUX(void, WebPDemuxDelete, WebPDemuxer *)
DEMUX(int, WebPDemuxGetChunk, const WebPDemuxer *, const char *, int, WebPChunkIterator *)
DEMUX(int, WebPDemuxGetFrame, const WebPDemuxer *, int, WebPIterator *)
DEMUX(uint32_t, WebPDemuxGetI, const WebPDemuxer *, WebPFormatFeature)
DEMUX(WebPDemuxer *, WebPDemuxInternal, const WebPData *, int, WebPDemuxState *, int)
DEMUX(void, WebPDemuxReleaseChunkIterator, WebPChunkIterator *)
DEMUX(void, WebPDemuxReleaseIterator, WebPIterator *)
#endif
