public import ImageCore

/// A file for ``checkDecodingConformance(of:samples:limit:)``, and what is known about it.
public struct DecodingSample: Sendable {
    /// A complete, valid, small file: it is decoded some hundred times.
    public var file: Data
    /// The name in messages; `file 0`, `file 1` and so on by default.
    public var name: String?
    /// What the header states; `nil`, the default, if that is not known.
    public var info: ImageInfo?
    /// The image that a decode with the default options gives; `nil`, the default, if that is not known.
    public var image: DecodedImage?
    /// The largest difference of a channel from ``image``, in levels of 0 to 255; 0 by default, for lossless formats.
    public var tolerance = 0.0

    /// Creates a sample, by default of which nothing is known.
    public init(_ file: Data, name: String? = nil, info: ImageInfo? = nil, image: DecodedImage? = nil, tolerance: Double = 0) {
        (self.file, self.name, self.info, self.image, self.tolerance) = (file, name, info, image, tolerance)
    }
}

enum DecodingRule: String, ConformanceRules {
    static let plugIn = "Decoding"
    case listsFormats = "The decoder lists its formats."
    case declinesOtherData = "Data that is no image is declined."
    case recognisesFiles = "A file is recognised from its first 64 bytes, as one of the listed formats."
    case acceptsSlices = "Data whose first index is not 0 gives the same image."
    case decodesFiles = "A valid file is decoded, each time to the same image."
    case matchesSamples = "The header and the image are those that the sample states."
    case namesFormat = "The header and the image name the format that recognised the file."
    case marksNoWholeImage = "The image of a complete file is not marked as partial or as a preview."
    case reportsSize = "The image has the size that the header states, cropped and turned."
    case reportsAlpha = "The header states an alpha channel if the image is transparent."
    case reportsDepth = "The header states more than 8 bits if, and only if, a decode without convertsTo8Bit has 16 bits."
    case reportsEarlyHeader = "info(ofPrefix:limits:) returns nil or what info(of:limits:) returns for the whole file."
    case convertsTo8Bit = "The image has 8 bits per channel by default, and up to rounding the colours of the 16-bit image."
    case convertsToSRGB = "The image is in sRGB by default."
    case returnsRequestedAlpha =
        "Colours are premultiplied by default and straight on request, and opaque images have no transparency."
    case appliesOrientation = "The upright image has the stored pixels, turned as the header states."
    case respectsTargetSize =
        "With a target size the image is large enough, no larger than the file's, in its proportions and colours."
    case respectsLimits = "A file with more pixels or bytes than the limit fails with tooLarge."
    case reportsTruncation = "A file that is cut throws, or its image is marked as partial, unless no pixel is missing."
    case respectsAllowsPartial = "Partial images are returned only with allowsPartial, and have the size of the whole image."
    case throwsImageErrors = "Damaged and truncated files throw ImageError and nothing else."
    case stopsWhenCancelled = "A decode whose token is cancelled, before or during the decode, throws CancellationError."
    case marksPreviews = "Previews are marked, have the proportions of the image, and valid alpha."
    case repeatsPreviews = "The same bytes give the same previews."
    case endsPreviewsWithTheImage = "The preview of all bytes resembles the image."
}

/// Checks a decoder against the contract of `Decoding`, and of `IncrementalDecoding` and `AnimationDecoding` where it
/// conforms to them.
///
/// ``ConformanceRule/all`` lists the rules. Some are only checked if the samples have what they are about: take files
/// with transparency, with 16 bits per channel, with an orientation, and with several frames, if the format has them.
/// Whether a decoder allocates before it checks the limits, and what it does on a machine without memory, is not
/// checked.
///
/// ```swift
/// // In a test, with a custom decoder and a few files of its formats:
/// let files = try [1, 40].map {
///     try PNGEncoder().encode(TestImages.solid(width: $0), as: .png, options: EncodeOptions())
/// }
/// try checkDecodingConformance(of: PNGDecoder(), files: files)
/// ```
///
/// - Parameters:
///   - decoder: The decoder to check. It is called on another thread, as the engine does.
///   - files: Complete, valid, small files of its formats. Each is decoded some hundred times.
///   - limit: The longest time that the whole check may take. By default 60 seconds.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkDecodingConformance(of decoder: any Decoding, files: [Data], limit: Duration = .seconds(60)) throws {
    try checkDecodingConformance(of: decoder, samples: files.map { DecodingSample($0) }, limit: limit)
}

/// Checks a decoder as ``checkDecodingConformance(of:files:limit:)`` does, and compares its headers and images with
/// what the samples state.
///
/// - Parameters:
///   - decoder: The decoder to check. It is called on another thread, as the engine does.
///   - samples: Files of its formats, and what is known about them.
///   - limit: The longest time that the whole check may take. By default 60 seconds.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkDecodingConformance(
    of decoder: any Decoding, samples: [DecodingSample], limit: Duration = .seconds(60)
) throws {
    var violations = checkRules(DecodingRule.self, limit: limit) { rules in
        rules.check(.listsFormats) { try require(!decoder.formats.isEmpty, "The list is empty.") }
        for head in [Data(), Data([0]), Data(repeating: 0, count: 64), Data("no image, just text;".utf8)] {
            rules.check(.declinesOtherData) {
                try require(decoder.format(of: head) == nil, "\(head.count) bytes that are no image were accepted.")
            }
        }
        for (number, sample) in samples.enumerated() {
            DecodingCheck(decoder, sample, name: sample.name ?? "file \(number)", rules).run()
        }
    }
    if let animated = decoder as? any AnimationDecoding {
        violations += checkRules(AnimationRule.self, limit: limit) { rules in
            for (number, sample) in samples.enumerated() {
                checkAnimation(of: sample.file, by: animated, name: sample.name ?? "file \(number)", rules)
            }
        }
    }
    try throwFailure(violations)
}

/// The checks of one file.
struct DecodingCheck {
    let decoder: any Decoding
    let sample: DecodingSample
    let name: String
    let rules: RuleChecker<DecodingRule>
    var file: Data { sample.file }

    init(_ decoder: any Decoding, _ sample: DecodingSample, name: String, _ rules: RuleChecker<DecodingRule>) {
        (self.decoder, self.sample, self.name, self.rules) = (decoder, sample, name, rules)
    }

    func check(_ rule: DecodingRule, _ detail: String = "", _ body: () throws -> Void) {
        rules.check(rule, detail.isEmpty ? name : "\(name), \(detail)", body)
    }

    func run() {
        let format = decoder.format(of: file)
        check(.recognisesFiles) {
            try require(format.map(decoder.formats.contains) ?? false, "Its format is not among those that the decoder lists.")
            try require(decoder.format(of: file.prefix(64)) == format, "It is not recognised from its first 64 bytes.")
        }
        var valid: (image: DecodedImage, info: ImageInfo)?
        check(.decodesFiles) {
            let (info, image) = (try decoder.info(of: file, limits: DecodingLimits()), try decode(file))
            valid = (image, info)
            try require(isSame(image, try decode(file)), "Two decodes gave two different images.")
        }
        // A file that cannot be decoded breaks that rule only.
        guard let (image, info) = valid else { return }
        check(.namesFormat) {
            try require(
                info.format == format && image.format == format,
                "It is recognised as \(name(of: format)), its header says \(info.format), and its image \(name(of: image.format))."
            )
        }
        check(.marksNoWholeImage) {
            try require(!image.isPartial && !image.isPreview, "Its image is marked as partial or preview.")
        }
        checkSlices(image)
        checkSample(image, info)
        checkHeader(image, info)
        checkOptions(image, info)
        checkTargetSizes(image)
        checkLimits(info)
        checkCuts(image)
        checkDamage()
        checkCancellation()
        checkPreviews(image)
    }

    private func name(of format: ImageFormat?) -> String { format?.rawValue ?? "nothing" }

    private func checkSlices(_ image: DecodedImage) {
        check(.acceptsSlices) {
            // A slice's indices start where it was cut.
            let slice = (Data([1, 2, 3]) + file).dropFirst(3)
            try require(decoder.format(of: slice) == decoder.format(of: file), "A slice of data is not recognised.")
            try require(isSame(image, try decode(slice)), "A slice of data gave another image.")
        }
    }

    private func checkSample(_ image: DecodedImage, _ info: ImageInfo) {
        check(.matchesSamples) {
            if let expected = sample.info { try require(info == expected, "The header is \(info), not \(expected).") }
            guard let expected = sample.image else { return }
            try ComparablePixels(image.bitmap).requireSame(
                as: ComparablePixels(expected.bitmap), most: sample.tolerance, "The image and that of the sample have")
        }
    }

    // MARK: Header and options

    private func checkHeader(_ image: DecodedImage, _ info: ImageInfo) {
        check(.reportsSize) {
            let size = info.orientation.applied(to: info.croppedSize ?? info.size)
            try require(image.size == size, "The header states \(size) pixels, but the image has \(image.size).")
        }
        check(.reportsAlpha) {
            try require(
                info.hasAlpha || image.bitmap.alpha == .opaque,
                "The header states no alpha channel, but the image is \(image.bitmap.alpha.rawValue).")
        }
        check(.reportsDepth) {
            let deep = try decode(file) { $0.convertsTo8Bit = false }
            try require(
                deep.bitmap.format.isWide == (info.bitDepth > 8),
                "The header states \(info.bitDepth) bits, but the image without convertsTo8Bit is \(deep.bitmap).")
        }
        for count in cuts {
            check(.reportsEarlyHeader, "of which \(count) bytes have arrived") {
                guard let early = try decoder.info(ofPrefix: file.prefix(count), limits: DecodingLimits()) else { return }
                try require(early == info, "The early header is \(early), not \(info).")
            }
        }
    }

    private func checkOptions(_ image: DecodedImage, _ info: ImageInfo) {
        let pixels = ComparablePixels(image.bitmap)
        check(.convertsTo8Bit) {
            try require(!image.bitmap.format.isWide, "By default its image is \(image.bitmap).")
            let deep = try decode(file) { $0.convertsTo8Bit = false }
            try ComparablePixels(deep.bitmap).requireSame(as: pixels, most: 2, "The images of 16 and of 8 bits have")
        }
        check(.convertsToSRGB) {
            try require(image.bitmap.colorSpace == .sRGB, "By default its image has a colour profile.")
        }
        check(.returnsRequestedAlpha) {
            try require(image.bitmap.alpha != .straight, "By default its image is straight.")
            try requireValidAlpha(of: image)
            let straight = try decode(file) { $0.alpha = .straight }
            try require(
                straight.bitmap.alpha == (image.bitmap.alpha == .opaque ? .opaque : .straight),
                "With straight alpha its image is \(straight.bitmap), otherwise \(image.bitmap).")
            try ComparablePixels(straight.bitmap).requireSame(
                as: pixels, most: 2, "The straight image, when it is premultiplied, and the premultiplied one have")
        }
        check(.appliesOrientation) {
            let stored = try decode(file) { $0.appliesOrientation = false }
            try ComparablePixels(stored.bitmap).applying(info.orientation).requireSame(
                as: pixels, most: 0, "The stored image, turned by \(info.orientation), and the upright one have")
        }
    }

    private func checkTargetSizes(_ image: DecodedImage) {
        let full = image.size
        let means = ComparablePixels(image.bitmap).means
        for (part, mode) in [(3, ImageContentMode.fit), (3, .fill), (8, .fit)] {
            let target = PixelSize(width: max(1, full.width / part), height: max(1, full.height / part))
            check(.respectsTargetSize, "for a target of \(target)") {
                let smaller = try decode(file) { ($0.targetSize, $0.contentMode) = (target, mode) }
                let size = smaller.size
                let isWide = size.width >= target.width
                let isHigh = size.height >= target.height
                try require(
                    size.width <= full.width && size.height <= full.height
                        && (mode == .fit ? isWide || isHigh : isWide && isHigh),
                    "The image of \(full) was decoded to \(size).")
                // Either side may be rounded.
                let width = Double(full.width) * Double(size.height) / Double(full.height)
                let height = Double(full.height) * Double(size.width) / Double(full.width)
                try require(
                    abs(Double(size.width) - width) <= 1 || abs(Double(size.height) - height) <= 1,
                    "The image of \(full) was stretched to \(size).")
                // Of a few pixels, the mean depends on how a decoder scales.
                guard size.pixelCount ?? 0 >= 64 else { return }
                let others = ComparablePixels(smaller.bitmap).means
                try require(
                    zip(means, others).allSatisfy { abs($0 - $1) <= 24 },
                    "The mean of the image's red, green, blue and alpha is \(means), but \(others) after scaling.")
            }
        }
    }

    private func checkLimits(_ info: ImageInfo) {
        func expectTooLarge(_ what: String, _ change: (inout DecodingLimits) -> Void) {
            var limits = DecodingLimits()
            change(&limits)
            check(.respectsLimits, what) {
                do {
                    _ = try decode(file) { $0.limits = limits }
                } catch let error as ImageError where error.code == .tooLarge {
                    return
                }
                throw RuleViolation("It was decoded beyond the limit.")
            }
        }
        expectTooLarge("which has a pixel more than the limit") { $0.pixels = (info.size.pixelCount ?? 1) - 1 }
        expectTooLarge("whose pixels have more bytes than the limit") { $0.imageBytes = (info.size.pixelCount ?? 1) - 1 }
    }

    func decode(_ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        return try decoder.decode(data, options: options)
    }
}
