public import ImageCore

/// Checks that an encoder keeps the contract of ``Encoding``, with the help of a decoder for what it writes.
///
/// ```swift
/// // In a test, with an encoder of your own:
/// try checkEncodingConformance(of: PNGEncoder(), readBy: PNGDecoder())
/// ```
///
/// - Parameter decoder: reads every format that the encoder writes.
/// - Throws: ``ConformanceFailure`` with the first thing that is wrong, or what encoder or decoder throws on a good picture.
public func checkEncodingConformance(of encoder: any Encoding, readBy decoder: any Decoding) throws {
    try ConformanceFailure.require(!encoder.formats.isEmpty, "The encoder names no format that it writes.")
    for format in encoder.formats {
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 17, height: 5), PixelSize(width: 64, height: 48)] {
            for (pixels, alpha) in [(PixelFormat.gray8, AlphaMode.opaque), (.rgba8, .opaque), (.rgba8, .premultiplied)] {
                let image = try pattern(size, pixels, alpha)
                let what = "\(format.rawValue) of a \(alpha.rawValue) \(pixels.rawValue) picture of \(size) pixels"
                try checkFile(of: image, format, encoder, decoder, what)
            }
        }
        try checkCancelling(encoder, format)
    }
}

private func checkFile(
    of image: DecodedImage, _ format: ImageFormat, _ encoder: any Encoding, _ decoder: any Decoding, _ what: String
) throws {
    let before = bytes(of: image)
    let file = try encoder.encode(image, as: format, options: EncodeOptions())
    try ConformanceFailure.require(bytes(of: image) == before, "The \(what) changed the picture.")
    try ConformanceFailure.require(decoder.format(of: file) == format, "The \(what) is not recognised as \(format.rawValue).")
    let back = try decoder.decode(file, options: DecodeOptions())
    try ConformanceFailure.require(back.size == image.size, "The \(what) came back with \(back.size) pixels.")
    try ConformanceFailure.require(
        try encoder.encode(image, as: format, options: EncodeOptions()) == file, "The \(what) was written in two ways.")
    for orientation in [Orientation.right, .downMirrored] {
        var options = EncodeOptions()
        options.orientation = orientation
        let turned = try encoder.encode(image, as: format, options: options)
        let info = try decoder.info(of: turned, limits: DecodingLimits())
        try ConformanceFailure.require(
            info.orientation.applied(to: info.size) == orientation.applied(to: image.size),
            "The \(what), to be shown turned, does not say so.")
    }
}

private func checkCancelling(_ encoder: any Encoding, _ format: ImageFormat) throws {
    var options = EncodeOptions()
    let token = CancellationToken()
    token.cancel()
    options.cancellation = token
    do {
        _ = try encoder.encode(pattern(PixelSize(width: 64, height: 64), .rgba8, .opaque), as: format, options: options)
        throw ConformanceFailure("A \(format.rawValue) was written though its token was cancelled before.")
    } catch is CancellationError {
    } catch let error as ImageError {
        throw ConformanceFailure(
            "A \(format.rawValue) was cancelled and threw \"\(error.message)\" instead of a CancellationError.")
    }
}
