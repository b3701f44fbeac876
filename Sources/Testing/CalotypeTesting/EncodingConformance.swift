public import ImageCore

enum EncodingRule: String, ConformanceRules {
    static let plugIn = "Encoding"
    case listsFormats = "The encoder lists its formats."
    case leavesImage = "Encoding does not change the image."
    case writesFormat = "The file is recognised as the format that was requested."
    case repeatsFiles = "The same image gives the same file."
    case keepsSize = "The file has the size of the image."
    case keepsPixels = "The decoded file has the colours and the alpha of the image: exactly, or nearly in a lossy format."
    case keepsOrientation =
        "The file states the orientation of the options, and has the pixels as they are; or the pixels are turned."
    case stopsWhenCancelled = "An encode whose token is cancelled throws CancellationError."
    case keepsFrames = "A file of an animation has its frames in order and their durations, and each frame is requested once."
}

/// Checks an encoder against the contract of `Encoding`, by decoding its files.
///
/// For each format it encodes grayscale and colour images of 8 and 16 bits per channel, opaque and transparent, with
/// and without padding at the end of their rows, with an orientation, and animations. ``ConformanceRule/all`` lists the
/// rules. Colour profiles are not checked.
///
/// ```swift
/// // In a test, with a custom encoder:
/// try checkEncodingConformance(of: PNGEncoder(), readBy: PNGDecoder())
/// ```
///
/// - Parameters:
///   - encoder: The encoder to check. It is called on another thread, as the engine does.
///   - decoder: A decoder for every format that the encoder writes.
///   - lossy: The formats that change colours a little, at the highest quality too. By default JPEG, WebP and AVIF.
///   - opaque: The formats without transparency, whose files have the image over white. By default JPEG.
///   - limit: The longest time that the whole check may take. By default 60 seconds.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkEncodingConformance(
    of encoder: any Encoding, readBy decoder: any Decoding, lossy: Set<ImageFormat> = [.jpeg, .webp, .avif],
    opaque: Set<ImageFormat> = [.jpeg], limit: Duration = .seconds(60)
) throws {
    let violations = checkRules(EncodingRule.self, limit: limit) { rules in
        rules.check(.listsFormats) { try require(!encoder.formats.isEmpty, "The list is empty.") }
        for format in encoder.formats {
            let check = FormatCheck(
                encoder: encoder, decoder: decoder, format: format, isLossy: lossy.contains(format),
                isOpaque: opaque.contains(format), rules: rules)
            check.checkImages()
            check.checkCancellation()
            check.checkAnimation()
        }
    }
    try throwFailure(violations)
}

private struct FormatCheck {
    let encoder: any Encoding
    let decoder: any Decoding
    let format: ImageFormat
    let isLossy: Bool
    let isOpaque: Bool
    let rules: RuleChecker<EncodingRule>

    func checkImages() {
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 17, height: 5), PixelSize(width: 64, height: 48)] {
            for pixels in PixelFormat.allCases {
                for alpha in pixels.channels == 1 ? [AlphaMode.opaque] : [.opaque, .premultiplied] {
                    let what = "\(format.rawValue) of a \(alpha.rawValue) \(pixels.rawValue) image of \(size) pixels"
                    if let image = try? gradient(size, pixels, alpha) { checkFile(of: image, what) }
                    if !isLossy, let image = try? pattern(size, pixels, alpha) {
                        checkFile(of: image, what + " with a fine pattern")
                    }
                }
            }
        }
    }

    private func checkFile(of image: DecodedImage, _ what: String) {
        let before = bytes(of: image)
        var file = Data()
        rules.check(.repeatsFiles, what) {
            file = try encode(image)
            try require(try encode(image) == file, "Encoding it twice gave two different files.")
        }
        rules.check(.leavesImage, what) { try require(bytes(of: image) == before, "The image was changed.") }
        // Without a file, there is nothing to decode.
        guard !file.isEmpty else { return }
        rules.check(.writesFormat, what) {
            try require(
                decoder.format(of: file) == format,
                "The file is recognised as \(decoder.format(of: file)?.rawValue ?? "no image").")
        }
        rules.check(.keepsSize, what) {
            let size = try decode(file).size
            try require(size == image.size, "The file has \(size) pixels.")
        }
        rules.check(.keepsPixels, what) { try requireSame(decode(file), as: image) }
        for orientation in [Orientation.right, .downMirrored] {
            rules.check(.keepsOrientation, "\(what), turned by \(orientation)") {
                let file = try encode(image) { $0.orientation = orientation }
                try requireSame(decode(file), as: image, turnedBy: orientation)
            }
        }
    }

    /// Compares a decoded image with the original.
    private func requireSame(_ decoded: DecodedImage, as image: DecodedImage, turnedBy orientation: Orientation = .up) throws {
        let original = ComparablePixels(image.bitmap).applying(orientation)
        // Rounding to 8 bits changes a level, and so does the way of premultiplied colours through a straight file.
        let isRounded = image.bitmap.alpha == .premultiplied || decoded.bitmap.format.isWide != image.bitmap.format.isWide
        try ComparablePixels(decoded.bitmap).requireSame(
            as: isOpaque ? original.overWhite() : original, most: isLossy ? 255 : isRounded ? 1 : 0, mean: isLossy ? 12 : 1,
            "The decoded image and the original have")
    }

    func checkCancellation() {
        rules.check(.stopsWhenCancelled, format.rawValue) {
            let large = try pattern(PixelSize(width: 64, height: 64), .rgba8, .opaque)
            let token = CancellationToken()
            token.cancel()
            try requireCancellation { _ = try encode(large) { $0.cancellation = token } }
        }
    }

    func checkAnimation() {
        rules.check(.keepsFrames, "\(format.rawValue) of an animation") {
            let animation = try GradientFrames()
            guard let file = try encoder.encode(animation, as: format, options: EncodeOptions()) else {
                return try require(animation.requested.isEmpty, "It returned nil after it had requested frames.")
            }
            try require(animation.requested == [0, 1, 2], "It requested the frames \(animation.requested) of three.")
            guard let decoder = decoder as? any AnimationDecoding else { return }
            let decoded = try decoder.animation(of: file, options: DecodeOptions())
            try require(decoded.frameCount == 3, "The file has \(decoded.frameCount) frames instead of three.")
            for index in 0..<3 {
                try require(
                    decoded.durations[index] == animation.durations[index],
                    "Frame \(index) lasts \(decoded.durations[index]), not \(animation.durations[index]).")
                try requireSame(decoded.frame(at: index), as: animation.frames[index])
            }
        }
    }

    private func encode(_ image: DecodedImage, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Data {
        var options = EncodeOptions()
        options.quality = 95
        change(&options)
        return try encoder.encode(image, as: format, options: options)
    }

    private func decode(_ file: Data) throws -> DecodedImage {
        var options = DecodeOptions()
        options.convertsTo8Bit = false
        return try decoder.decode(file, options: options)
    }
}

/// An animation of three frames that records which are requested.
private final class GradientFrames: ImageAnimation {
    let frames: [DecodedImage]
    let durations: [Duration] = [.milliseconds(100), .milliseconds(200), .milliseconds(300)]
    let loopCount = 0
    private(set) var requested: [Int] = []

    init() throws {
        let size = PixelSize(width: 24, height: 16)
        let upright = try gradient(size, .rgba8, .opaque)
        let dark = try TestImages.solid(width: 24, height: 16, red: 40, green: 20, blue: 60)
        frames = [upright, dark, upright]
    }

    func frame(at index: Int) throws -> DecodedImage {
        requested.append(index)
        guard frames.indices.contains(index) else { throw ImageError(.invalidRequest, message: "There is no frame \(index).") }
        return frames[index]
    }
}
