public import ImageCore
internal import ImageDecoding

extension [any Decoding] {
    /// The decoders of this module: JPEG, PNG, WebP, AVIF and GIF.
    public static var codecs: [any Decoding] { [JPEGDecoder(), PNGDecoder(), WebPDecoder(), AVIFDecoder(), GIFDecoder()] }
}

extension [any Encoding] {
    /// The encoders of this module: JPEG, PNG, WebP, AVIF and ``RGBAEncoder``.
    public static var codecs: [any Encoding] { [JPEGEncoder(), PNGEncoder(), WebPEncoder(), AVIFEncoder(), RGBAEncoder()] }
}
