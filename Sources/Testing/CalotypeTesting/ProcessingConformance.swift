public import ImageCore

/// Checks a processor against the contract of `Processing`.
///
/// It checks that the identifier is the same for the same processor, that the result depends only on the image and not
/// on the number of threads, that the input is not changed, that premultiplied colours do not exceed alpha, that a
/// pixel limit is not exceeded, that fused processors give the same result as two steps, and that a cancelled run
/// throws nothing but `CancellationError`. It does not check that a cancelled run stops, that parameters are part of
/// the identifier, or `reducedDecode`.
///
/// ```swift
/// // In a test, with a custom processor:
/// try checkProcessingConformance { .sepia() }
/// ```
///
/// - Parameters:
///   - samples: Images that the processor must accept. By default grayscale and colour images of 8 and 16 bits per
///     channel, opaque and transparent, from one pixel to 120 by 80 pixels.
///   - make: Makes the processor with the same parameters each time. Called twice.
/// - Throws: ``ConformanceFailure`` for the first violation, or the processor's error for a sample.
public func checkProcessingConformance(
    samples: [DecodedImage]? = nil, _ make: () throws -> any Processing
) throws {
    let processor = try make()
    try require(!processor.identifier.isEmpty, "The processor has no identifier.")
    try require(
        try make().identifier == processor.identifier,
        "Made twice with the same parameters, the processor has two identifiers, so caches would never find its results.")
    for sample in try samples ?? standardSamples() {
        try checkRuns(of: processor, on: sample)
        try checkFusing(of: processor, on: sample)
    }
    let large = try pattern(PixelSize(width: 300, height: 400), .rgba8, .opaque)
    try requireCancellation(of: processor.identifier, mayFinish: true) { token in
        token.cancel()
        _ = try processor.process(large, context: ProcessingContext(cancellation: token))
    }
}

private func checkRuns(of processor: any Processing, on sample: DecodedImage) throws {
    let what = "\(processor.identifier) on \(sample.bitmap.format.rawValue) \(sample.size)"
    let before = bytes(of: sample)
    let result = try processor.process(sample, context: ProcessingContext())
    try require(bytes(of: sample) == before, "\(what) changed its input image.")
    try checkColors(of: result, what)
    try require(
        isSame(result, try processor.process(sample, context: ProcessingContext())), "\(what) gave two results for one image.")
    var threaded = ProcessingContext()
    threaded.threads = 3
    try require(
        isSame(result, try processor.process(sample, context: threaded)), "\(what) gave another result with three threads.")
    var small = ProcessingContext()
    small.maximumPixels = 1
    if let image = try? processor.process(sample, context: small), image.size != sample.size {
        try require(
            image.size.pixelCount ?? .max <= 1 || fits(image.size, in: sample.size),
            "\(what) made a larger image of \(image.size) pixels although the limit was one pixel.")
    }
}

/// A premultiplied colour must not exceed alpha, and an opaque image must have no transparent pixel.
private func checkColors(of image: DecodedImage, _ what: String) throws(ConformanceFailure) {
    let bitmap = image.bitmap
    guard bitmap.format.channels == 4, bitmap.alpha != .straight else { return }
    let most = bitmap.format == .rgba16 ? 65535 : 255
    for y in 0..<bitmap.height {
        for x in 0..<bitmap.width {
            let levels = levels(of: bitmap, x: x, y: y)
            try require(
                levels[0...2].allSatisfy { $0 <= levels[3] },
                "\(what) gave a colour above its alpha at \(x), \(y); premultiplied colours must not exceed alpha.")
            try require(
                bitmap.alpha != .opaque || levels[3] == most,
                "\(what) marked an image as opaque that is transparent at \(x), \(y)."
            )
        }
    }
}

/// A processor fused with itself must give the result of two runs, within one level of 8 bits.
private func checkFusing(of processor: any Processing, on sample: DecodedImage) throws {
    guard let fused = (processor as? any FusingProcessing)?.fused(with: processor) else { return }
    let context = ProcessingContext()
    guard let once = try? processor.process(sample, context: context),
        let twice = try? processor.process(once, context: context)
    else { return }
    let both = try fused.process(sample, context: context)
    let what = "\(processor.identifier), fused with itself,"
    try require(both.size == twice.size, "\(what) gave \(both.size) pixels; two runs one after the other gave \(twice.size).")
    for y in 0..<both.size.height {
        for x in 0..<both.size.width {
            let (a, b) = (levels(of: both.bitmap, x: x, y: y), levels(of: twice.bitmap, x: x, y: y))
            let step = both.bitmap.format.isWide ? 257 : 1
            try require(
                zip(a, b).allSatisfy { abs($0 - $1) <= step },
                "\(what) gave \(a) at \(x), \(y); two runs one after the other gave \(b).")
        }
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
