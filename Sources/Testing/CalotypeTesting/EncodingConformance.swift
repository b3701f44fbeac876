public import ImageCore

/// Checks an encoder against the contract of `Encoding`, by decoding its files.
///
/// For each format it encodes images of several sizes, pixel formats and alpha modes, and checks that the image is not
/// changed, that the file has the right format, size and orientation, that the same image gives the same file, and that
/// a cancelled encode throws `CancellationError`. It does not compare the decoded pixels with the original.
///
/// ```swift
/// // In a test, with a custom encoder:
/// try checkEncodingConformance(of: PNGEncoder(), readBy: PNGDecoder())
/// ```
///
/// - Parameters:
///   - encoder: The encoder to check.
///   - decoder: A decoder for every format that the encoder writes.
/// - Throws: ``ConformanceFailure`` for the first violation, or the error of the encoder or the decoder for a valid
///   image.
public func checkEncodingConformance(of encoder: any Encoding, readBy decoder: any Decoding) throws {
    try require(!encoder.formats.isEmpty, "The encoder lists no formats.")
    for format in encoder.formats {
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 17, height: 5), PixelSize(width: 64, height: 48)] {
            for (pixels, alpha) in [(PixelFormat.gray8, AlphaMode.opaque), (.rgba8, .opaque), (.rgba8, .premultiplied)] {
                let image = try pattern(size, pixels, alpha)
                let what = "\(format.rawValue) of a \(alpha.rawValue) \(pixels.rawValue) image of \(size) pixels"
                try checkFile(of: image, format, encoder, decoder, what)
            }
        }
        let large = try pattern(PixelSize(width: 64, height: 64), .rgba8, .opaque)
        try requireCancellation(of: "The encode of a \(format.rawValue)") { token in
            var options = EncodeOptions()
            options.cancellation = token
            token.cancel()
            _ = try encoder.encode(large, as: format, options: options)
        }
    }
}

private func checkFile(
    of image: DecodedImage, _ format: ImageFormat, _ encoder: any Encoding, _ decoder: any Decoding, _ what: String
) throws {
    let before = bytes(of: image)
    let file = try encoder.encode(image, as: format, options: EncodeOptions())
    try require(bytes(of: image) == before, "Writing the \(what) changed the image.")
    try require(decoder.format(of: file) == format, "The \(what) is not recognised as \(format.rawValue).")
    let back = try decoder.decode(file, options: DecodeOptions())
    try require(back.size == image.size, "The \(what) was decoded to \(back.size) pixels.")
    try require(
        try encoder.encode(image, as: format, options: EncodeOptions()) == file,
        "Encoding the \(what) twice gave two different files.")
    for orientation in [Orientation.right, .downMirrored] {
        var options = EncodeOptions()
        options.orientation = orientation
        let info = try decoder.info(of: encoder.encode(image, as: format, options: options), limits: DecodingLimits())
        try require(
            info.orientation.applied(to: info.size) == orientation.applied(to: image.size),
            "The \(what), encoded with the orientation \(orientation.rawValue), lost its orientation.")
    }
}
