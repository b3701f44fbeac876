public import ImageCore

/// Checks a decoder against the contract of `Decoding`, and of `IncrementalDecoding` and `AnimationDecoding` where it
/// conforms to them.
///
/// The decoder must list its formats and decline data that is no image. For each file:
///
/// - The decoder recognises the format from the first 64 bytes, and from data that is a slice.
/// - A decode gives the same image each time, of the size in the header, and not marked as partial or preview.
/// - A decode with a target size gives an image that is neither too small nor larger than the full image.
/// - A file with more pixels than the limit fails with `tooLarge`.
/// - Truncated files, whether partial images are allowed or not, and files with flipped bits throw only `ImageError`.
/// - A decode with a cancelled token throws `CancellationError`.
/// - An incremental decoder marks its previews.
/// - An animation has as many frames as the header says, in any order the same, with plausible durations, and begins
///   with the image of a decode.
///
/// It does not check the image that a decoder returns for a damaged file, alpha modes, metadata, time or memory.
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
///   - decoder: The decoder to check.
///   - files: Complete, valid, small files of its formats. Each is decoded more than a hundred times.
/// - Throws: ``ConformanceFailure`` for the first violation, or the decoder's error for a valid file.
public func checkDecodingConformance(of decoder: any Decoding, files: [Data]) throws {
    try require(!decoder.formats.isEmpty, "The decoder lists no formats.")
    try checkDeclining(of: decoder)
    for (number, file) in files.enumerated() {
        let check = FileCheck(decoder: decoder, file: file, name: "File \(number)")
        try check.checkFormat()
        try check.checkImage()
        try check.checkLimits()
        try check.checkDamagedFiles()
        try check.checkCancellation()
        try check.checkPreviews()
        try check.checkAnimation()
    }
}

private func checkDeclining(of decoder: any Decoding) throws {
    for head in [Data(), Data([0]), Data(repeating: 0, count: 64), Data("no image, just text;".utf8)] {
        try require(decoder.format(of: head) == nil, "The decoder accepted \(head.count) bytes that are no image.")
    }
}

struct FileCheck {
    let decoder: any Decoding
    let file: Data
    /// The file's name, which begins the sentence of a failure.
    let name: String

    func checkFormat() throws {
        let format = decoder.format(of: file)
        try require(
            format.map(decoder.formats.contains) ?? false,
            "The format of \(name.lowercased()) is not among those that the decoder lists.")
        try require(decoder.format(of: file.prefix(64)) == format, "\(name) is not recognised from its first 64 bytes.")
        // A slice's indices start where it was cut.
        let slice = (Data([1, 2, 3]) + file).dropFirst(3)
        try require(decoder.format(of: slice) == format, "\(name) is not recognised when its data is a slice.")
        let (whole, sliced) = (try decode(file), try decode(slice))
        try require(isSame(whole, sliced), "\(name) gave another image when its data was a slice.")
    }

    func checkImage() throws {
        let info = try decoder.info(of: file, limits: DecodingLimits())
        let image = try decode(file)
        try require(
            image.size == info.orientation.applied(to: info.size),
            "The header of \(name.lowercased()) says \(info.size) pixels, but the decoder returned \(image.size).")
        try require(!image.isPartial && !image.isPreview, "\(name) is complete, but its image is marked as partial or preview.")
        try require(isSame(image, try decode(file)), "\(name) gave two different images.")
        let smaller = try decode(file) {
            $0.targetSize = PixelSize(width: max(1, image.size.width / 3), height: max(1, image.size.height / 3))
        }
        try require(
            smaller.size.width <= image.size.width && smaller.size.height <= image.size.height
                && (smaller.size.width >= image.size.width / 3 || smaller.size.height >= image.size.height / 3),
            "The target size was a third of \(image.size), but \(name.lowercased()) was decoded to \(smaller.size).")
    }

    func checkLimits() throws {
        var limits = DecodingLimits()
        limits.pixels = try decoder.info(of: file, limits: limits).size.pixelCount.map { $0 - 1 } ?? 0
        do {
            _ = try decode(file) { $0.limits = limits }
            throw ConformanceFailure("\(name) was decoded although it has a pixel more than the limit.")
        } catch let error as ImageError {
            try require(
                error.code == .tooLarge, "\(name) exceeds the limit, but the error is \(error.code) instead of tooLarge.")
        }
    }

    /// Decodes truncated files and files with flipped bits. Errors other than ``ImageError`` are failures; images are
    /// accepted without a check.
    func checkDamagedFiles() throws {
        for cut in Set((0..<16).map { file.count * $0 / 16 }).union([file.count - 1]) where cut > 0 {
            let what = "cut after \(cut) of \(file.count) bytes"
            try allowImageErrors(what) { _ = try decode(file.prefix(cut)) }
            try allowImageErrors("\(what), with partial images allowed,") {
                _ = try decode(file.prefix(cut)) { $0.allowsPartial = true }
            }
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<64 {
            var damaged = file
            for _ in 0..<4 { damaged[.random(in: damaged.indices, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random) }
            try allowImageErrors("with four flipped bits") { _ = try decode(damaged) }
            try allowImageErrors("with four flipped bits") { _ = try decoder.info(of: damaged, limits: DecodingLimits()) }
        }
    }

    private func allowImageErrors(_ what: String, _ body: () throws -> Void) throws(ConformanceFailure) {
        do {
            try body()
        } catch is ImageError {
        } catch {
            throw ConformanceFailure("\(name), \(what), threw \(type(of: error)); a decoder must throw ImageError.")
        }
    }

    func checkCancellation() throws {
        try requireCancellation(of: "The decode of \(name.lowercased())") { token in
            token.cancel()
            _ = try decode(file) { $0.cancellation = token }
        }
    }

    func checkPreviews() throws {
        guard let incremental = decoder as? any IncrementalDecoding else { return }
        for length in [1, 7, 1_000, file.count] {
            guard let decoder = try incremental.makeIncrementalDecoder(for: file.prefix(4_096), options: DecodeOptions()) else {
                return
            }
            for count in stride(from: length, to: file.count + length, by: length) {
                do {
                    guard let preview = try decoder.preview(of: file.prefix(count)) else { continue }
                    try require(preview.isPreview, "A preview of \(name.lowercased()) is not marked as one.")
                } catch is ImageError {
                    break
                }
            }
        }
    }

    func decode(_ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        return try decoder.decode(data, options: options)
    }
}
