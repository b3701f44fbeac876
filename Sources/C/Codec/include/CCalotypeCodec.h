/// What the C between Swift and the codecs' libraries shares: the status of a call.
#ifndef CCALOTYPE_CODEC_H
#define CCALOTYPE_CODEC_H

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

#endif
