public import ImageCore

/// Checks that a processor keeps the contract of ``Processing``.
///
/// ```swift
/// // In a test, with a processor of your own:
/// try checkProcessingConformance { .sepia() }
/// ```
///
/// - Parameters:
///   - samples: pictures that it must be able to work on; by default grey and colour, opaque and transparent, of 8 and 16
///     bits, from one pixel up.
///   - make: makes the processor, the same one each time. Called several times.
/// - Throws: ``ConformanceFailure`` with the first thing that is wrong, or what the processor throws on a sample.
public func checkProcessingConformance(
    samples: [DecodedImage]? = nil, _ make: () throws -> any Processing
) throws {
    let processor = try make()
    try ConformanceFailure.require(!processor.identifier.isEmpty, "The processor has no identifier.")
    try ConformanceFailure.require(
        try make().identifier == processor.identifier,
        "Made twice in the same way, the processor has two identifiers: no cache would ever find its work again.")
    for sample in try samples ?? standardSamples() {
        try checkRuns(of: processor, on: sample)
        try checkFusing(of: processor, on: sample)
    }
    try checkCancelling(of: processor)
}

private func checkRuns(of processor: any Processing, on sample: DecodedImage) throws {
    let what = "\(processor.identifier) on \(sample.bitmap.format.rawValue) \(sample.size)"
    let before = bytes(of: sample)
    let result = try processor.process(sample, context: ProcessingContext())
    try ConformanceFailure.require(bytes(of: sample) == before, "\(what) changed the picture that it was given.")
    try checkColors(of: result, what)
    try ConformanceFailure.require(
        same(result, try processor.process(sample, context: ProcessingContext())), "\(what) gave two results for one picture.")
    var threaded = ProcessingContext()
    threaded.threads = 3
    try ConformanceFailure.require(
        same(result, try processor.process(sample, context: threaded)), "\(what) gave another result with three threads.")
    var small = ProcessingContext()
    small.maximumPixels = 1
    if let image = try? processor.process(sample, context: small), image.size != sample.size {
        try ConformanceFailure.require(
            image.size.pixelCount ?? .max <= 1 || fits(image.size, in: sample.size),
            "\(what) made a larger picture of \(image.size) pixels where one pixel was the limit.")
    }
}

/// Colour that is multiplied by alpha is never above it, and an opaque picture has no transparent pixel.
private func checkColors(of image: DecodedImage, _ what: String) throws(ConformanceFailure) {
    let bitmap = image.bitmap
    guard bitmap.format.channels == 4, bitmap.alpha != .straight else { return }
    let most = bitmap.format == .rgba16 ? 65535 : 255
    for y in 0..<bitmap.height {
        for x in 0..<bitmap.width {
            let levels = levels(of: bitmap, x: x, y: y)
            try ConformanceFailure.require(
                levels[0...2].allSatisfy { $0 <= levels[3] },
                "\(what) gave a colour above its alpha at \(x), \(y); premultiplied colour never is.")
            try ConformanceFailure.require(
                bitmap.alpha != .opaque || levels[3] == most, "\(what) called a picture opaque that is transparent at \(x), \(y)."
            )
        }
    }
}

/// What is fused gives the picture that one after the other gives, to within a level.
private func checkFusing(of processor: any Processing, on sample: DecodedImage) throws {
    guard let fused = (processor as? any FusingProcessing)?.fused(with: processor) else { return }
    let context = ProcessingContext()
    guard let once = try? processor.process(sample, context: context),
        let twice = try? processor.process(once, context: context)
    else { return }
    let both = try fused.process(sample, context: context)
    let what = "\(processor.identifier), fused with itself,"
    try ConformanceFailure.require(
        both.size == twice.size, "\(what) gave \(both.size) pixels, and one after the other \(twice.size).")
    for y in 0..<both.size.height {
        for x in 0..<both.size.width {
            let (a, b) = (levels(of: both.bitmap, x: x, y: y), levels(of: twice.bitmap, x: x, y: y))
            let step = both.bitmap.format == .rgba16 || both.bitmap.format == .gray16 ? 257 : 1
            try ConformanceFailure.require(
                zip(a, b).allSatisfy { abs($0 - $1) <= step },
                "\(what) gave \(a) at \(x), \(y), and one after the other \(b).")
        }
    }
}

/// Asked to stop, it stops, or it is done already; it throws nothing else.
private func checkCancelling(of processor: any Processing) throws {
    let token = CancellationToken()
    token.cancel()
    let large = try pattern(PixelSize(width: 300, height: 400), .rgba8, .opaque)
    do {
        _ = try processor.process(large, context: ProcessingContext(cancellation: token))
    } catch is CancellationError {
    } catch let error as ImageError {
        throw ConformanceFailure(
            "\(processor.identifier) was cancelled and threw \"\(error.message)\" instead of a CancellationError.")
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

private func fits(_ size: PixelSize, in other: PixelSize) -> Bool { size.width <= other.width && size.height <= other.height }
