public import ImageCore

enum ProcessingRule: String, ConformanceRules {
    static let plugIn = "Processing"
    case hasIdentifier = "The identifier is not empty, and the same for the same parameters."
    case namesParameters = "Other parameters give another identifier."
    case acceptsSamples = "Images of every pixel format, alpha mode and size are processed without an error."
    case leavesImage = "The image that it receives is not changed."
    case repeatsResults = "The result depends on the image alone, not on earlier runs or on the number of threads."
    case returnsPremultiplied = "The result is opaque or premultiplied, never straight, and no colour is above its alpha."
    case keepsImage = "Format, freshness, and the marks of partial images and previews are kept, as by image.with(_:)."
    case respectsPixelLimit = "No image is made that is larger than maximumPixels and than the original."
    case stopsWhenCancelled =
        "A run whose token is cancelled throws CancellationError, and a run that makes an image checks the token."
    case fuses = "A processor fused with itself gives the result of two runs, within one level."
    case reducesDecode = "The result made from a reduced decode looks like that of the whole image."
}

/// Checks a processor against the contract of `Processing`.
///
/// ``ConformanceRule/all`` lists the rules. Whether the identifier names every parameter is only checked with
/// processors of other parameters (`others`).
///
/// ```swift
/// // In a test, with a custom processor:
/// try checkProcessingConformance { .sepia() }
/// ```
///
/// - Parameters:
///   - samples: Images that the processor must accept. By default grayscale and colour images of 8 and 16 bits per
///     channel, opaque and transparent, from one pixel to 120 by 80 pixels.
///   - others: The processor with other parameters: each differs from the checked one, and from the others, in one of
///     them. None by default.
///   - extra: The options of plug-ins that the processor reads. By default all have their defaults.
///   - limit: The longest time that the check may take. By default 60 seconds.
///   - make: Makes the processor with the same parameters each time. Called twice.
/// - Throws: ``ConformanceFailure`` with all violations; the error of `make`.
public func checkProcessingConformance(
    samples: [DecodedImage]? = nil, others: [any Processing] = [], extra: ExtraOptions = ExtraOptions(),
    limit: Duration = .seconds(60), _ make: () throws -> any Processing
) throws {
    let (processor, same) = (try make(), try make())
    let images = try samples ?? standardSamples()
    let violations = checkRules(ProcessingRule.self, limit: limit) { rules in
        rules.check(.hasIdentifier) {
            try require(!processor.identifier.isEmpty, "It is empty.")
            try require(
                same.identifier == processor.identifier,
                "Made twice with the same parameters, the processor has two identifiers, so caches would never find its results.")
        }
        rules.check(.namesParameters) {
            var seen: Set<String> = [processor.identifier]
            for other in others {
                try require(
                    seen.insert(other.identifier).inserted,
                    "Two processors with different parameters have the identifier \(other.identifier), so one would get the other's image."
                )
            }
        }
        let check = ProcessorCheck(processor: processor, extra: extra, rules: rules)
        for image in images { check.checkRuns(on: image) }
        check.checkMarks()
        check.checkCancellation()
        check.checkReducedDecode()
    }
    try throwFailure(violations)
}

private struct ProcessorCheck {
    let processor: any Processing
    let extra: ExtraOptions
    let rules: RuleChecker<ProcessingRule>

    func checkRuns(on sample: DecodedImage) {
        let what = "\(processor.identifier) on \(sample.bitmap)"
        let before = bytes(of: sample)
        var result: DecodedImage?
        rules.check(.acceptsSamples, what) { result = try run(on: sample) }
        guard let result else { return }
        rules.check(.leavesImage, what) { try require(bytes(of: sample) == before, "It changed its input image.") }
        rules.check(.repeatsResults, what) {
            try require(isSame(result, try run(on: sample)), "It gave two results for one image.")
            try require(isSame(result, try run(on: sample) { $0.threads = 3 }), "It gave another result with three threads.")
        }
        rules.check(.returnsPremultiplied, what) {
            try require(result.bitmap.alpha != .straight, "The result is straight.")
            try requireValidAlpha(of: result)
        }
        rules.check(.respectsPixelLimit, what) {
            // An error is right, too.
            guard let image = try? run(on: sample, { $0.maximumPixels = 1 }), image.size != sample.size else { return }
            try require(
                image.size.pixelCount ?? .max <= 1
                    || image.size.width <= sample.size.width && image.size.height <= sample.size.height,
                "It made a larger image of \(image.size) pixels although the limit was one pixel.")
        }
        rules.check(.fuses, what) {
            guard let fused = (processor as? any FusingProcessing)?.fused(with: processor),
                let twice = try? run(on: result)
            else { return }
            let both = try fused.process(sample, context: context())
            try ComparablePixels(both.bitmap).requireSame(
                as: ComparablePixels(twice.bitmap), most: 1, "Fused with itself, and run twice one after the other, it gave")
        }
    }

    func checkMarks() {
        rules.check(.keepsImage, processor.identifier) {
            var sample = try pattern(PixelSize(width: 40, height: 30), .rgba8, .opaque)
            (sample.format, sample.isPartial, sample.isPreview, sample.details.freshUntil) = (.png, true, true, 7)
            let result = try run(on: sample)
            try require(
                result.format == .png && result.isPartial && result.isPreview && result.details.freshUntil == 7,
                "A partial PNG preview became \(result). Return image.with(bitmap).")
        }
    }

    func checkCancellation() {
        rules.check(.stopsWhenCancelled, processor.identifier) {
            let large = try pattern(PixelSize(width: 300, height: 400), .rgba8, .opaque)
            let checks = Lock(0)
            let counting = CancellationToken {
                checks.withLock { $0 += 1 }; return false
            }
            let result = try run(on: large) { $0.cancellation = counting }
            // A processor that changes nothing but marks has nothing to cancel.
            if checks.withLock({ $0 }) == 0 {
                let isCopied = bytes(of: result) == bytes(of: large)
                return try require(isCopied, "It made an image without checking the token.")
            }
            let token = CancellationToken()
            token.cancel()
            try requireCancellation { _ = try run(on: large) { $0.cancellation = token } }
            let last = CancellationToken {
                checks.withLock {
                    $0 -= 1; return $0
                } <= 0
            }
            try requireCancellation { _ = try run(on: large) { $0.cancellation = last } }
        }
    }

    /// Makes the reduced decode by averaging blocks of pixels, as a decoder does.
    func checkReducedDecode() {
        guard let fusing = processor as? any FusingProcessing, fusing.reducesDecode else { return }
        rules.check(.reducesDecode, processor.identifier) {
            let image = try checkered(PixelSize(width: 384, height: 256))
            guard let reduced = fusing.reducedDecode(of: image.size) else { return }
            let scales = [8, 4, 2, 1].filter { scale in
                let isWide = image.size.width / scale >= reduced.targetSize.width
                let isHigh = image.size.height / scale >= reduced.targetSize.height
                return reduced.contentMode == .fit ? isWide || isHigh : isWide && isHigh
            }
            let smaller = try averaged(image, by: scales.first ?? 1)
            let result = try reduced.processor.process(smaller, context: context())
            try ComparablePixels(result.bitmap).requireSame(
                as: ComparablePixels(run(on: image).bitmap), mean: 8,
                "From a decode to \(smaller.size), and from the whole image, it gave")
        }
    }

    /// Gray squares, which become faint if the decode is smaller than the result.
    private func checkered(_ size: PixelSize) throws -> DecodedImage {
        DecodedImage(
            try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let level: UInt8 = (x / 16 + y / 16) % 2 == 0 ? 200 : 60
                        for channel in 0..<4 { unsafe pixels[y * bytesPerRow + x * 4 + channel] = channel == 3 ? 255 : level }
                    }
                }
            })
    }

    private func averaged(_ image: DecodedImage, by scale: Int) throws -> DecodedImage {
        let pixels = ComparablePixels(image.bitmap)
        let size = PixelSize(width: image.size.width / scale, height: image.size.height / scale)
        return DecodedImage(
            try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { output, bytesPerRow in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        for channel in 0..<4 {
                            var sum = 0
                            for row in y * scale..<(y + 1) * scale {
                                for column in x * scale..<(x + 1) * scale {
                                    sum += Int(pixels.levels[(row * image.size.width + column) * 4 + channel])
                                }
                            }
                            unsafe output[y * bytesPerRow + x * 4 + channel] = UInt8((sum / (scale * scale) + 128) / 257)
                        }
                    }
                }
            })
    }

    private func context(_ change: (inout ProcessingContext) -> Void = { _ in }) -> ProcessingContext {
        var context = ProcessingContext()
        context.extra = extra
        change(&context)
        return context
    }

    private func run(on image: DecodedImage, _ change: (inout ProcessingContext) -> Void = { _ in }) throws -> DecodedImage {
        try processor.process(image, context: context(change))
    }
}

private func standardSamples() throws -> [DecodedImage] {
    var samples: [DecodedImage] = []
    for size in [PixelSize(width: 1, height: 1), PixelSize(width: 7, height: 31), PixelSize(width: 120, height: 80)] {
        for format in PixelFormat.allCases {
            samples.append(try pattern(size, format, .opaque))
            if format.channels == 4 { samples.append(try pattern(size, format, .premultiplied)) }
        }
    }
    return samples
}
