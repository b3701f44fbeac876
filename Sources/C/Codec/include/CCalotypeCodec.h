/// What the C between Swift and the codecs' libraries shares: the status of a call, and changes of rows. Samples of 16
/// bits are in the machine's byte order.
#ifndef CCALOTYPE_CODEC_H
#define CCALOTYPE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLT_OK = 0,
    /// The data ends too early for the call. A reader of a file that arrives in pieces can repeat it with more.
    CLT_NEEDS_INPUT,
    /// The file violates its format.
    CLT_CORRUPT,
    /// The library does not support a feature of the file, or an image that is to be written.
    CLT_UNSUPPORTED,
    CLT_NO_MEMORY,
    /// The image has more pixels than the library accepts.
    CLT_TOO_LARGE,
    /// One scan of a JPEG was read to its end.
    CLT_SCAN_END,
    /// All scans of a JPEG were read.
    CLT_END
} clt_status;

/// Whether every pixel is opaque.
bool clt_is_opaque_rgba8(const uint8_t *row, size_t width);
bool clt_is_opaque_rgba16(const uint16_t *row, size_t width);
/// Converts CMYK without a profile to opaque RGBA: each colour is (1 - ink) × (1 - black).
void clt_cmyk_to_rgba8(const uint8_t *source, uint8_t *target, size_t width, bool is_inverted);
/// Converts `samples` 16-bit samples to 8 bits, with rounding.
void clt_narrow(const uint16_t *source, uint8_t *target, size_t samples);

#endif
