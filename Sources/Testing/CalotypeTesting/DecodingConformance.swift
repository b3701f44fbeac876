public import ImageCore

/// Checks that a decoder keeps the contract of ``Decoding``, and of ``IncrementalDecoding`` where it adopts that.
///
/// ```swift
/// // In a test, with a decoder of your own and a few files of its formats:
/// let files = try [1, 40].map { try PNGEncoder().encode(TestImages.solid(width: $0), as: .png, options: EncodeOptions()) }
/// try checkDecodingConformance(of: PNGDecoder(), files: files)
/// ```
///
/// - Parameters:
///   - decoder: the decoder.
///   - files: whole, valid files of its formats, small ones: each is decoded some hundred times.
/// - Throws: ``ConformanceFailure`` with the first thing that is wrong, or what the decoder throws on a whole file.
public func checkDecodingConformance(of decoder: any Decoding, files: [Data]) throws {
    try ConformanceFailure.require(!decoder.formats.isEmpty, "The decoder names no format that it reads.")
    try checkDeclining(of: decoder)
    for (number, file) in files.enumerated() {
        let check = FileCheck(decoder: decoder, file: file, name: "File \(number)")
        try check.matching()
        try check.picture()
        try check.limits()
        try check.damage()
        try check.cancelling()
        try check.pieces()
    }
}

private func checkDeclining(of decoder: any Decoding) throws {
    for head in [Data(), Data([0]), Data(repeating: 0, count: 64), Data("no picture, only words; ".utf8)] {
        try ConformanceFailure.require(
            decoder.format(of: head) == nil, "The decoder accepted \(head.count) bytes that are no picture.")
    }
}

private struct FileCheck {
    let decoder: any Decoding
    let file: Data
    /// For the start of a sentence.
    let name: String

    func matching() throws {
        let format = decoder.format(of: file)
        try ConformanceFailure.require(
            format.map(decoder.formats.contains) ?? false, "\(name) is of no format that the decoder lists.")
        try ConformanceFailure.require(
            decoder.format(of: file.prefix(64)) == format, "\(name) is not recognised by its first 64 bytes.")
        // A slice counts from where it was cut.
        let slice = (Data([1, 2, 3]) + file).dropFirst(3)
        try ConformanceFailure.require(decoder.format(of: slice) == format, "\(name) is not recognised in a slice.")
        let (whole, sliced) = (try decoded(file), try decoded(slice))
        try ConformanceFailure.require(same(whole, sliced), "\(name) gave another picture when its data was a slice.")
    }

    func picture() throws {
        let info = try decoder.info(of: file, limits: DecodingLimits())
        let image = try decoded(file)
        try ConformanceFailure.require(
            image.size == info.orientation.applied(to: info.size),
            "\(name) has \(info.size) pixels by its header, and was decoded to \(image.size).")
        try ConformanceFailure.require(!image.isPartial && !image.isPreview, "\(name) is whole, and was called a part.")
        try ConformanceFailure.require(same(image, try decoded(file)), "\(name) gave two pictures.")
        var options = DecodeOptions()
        options.targetSize = PixelSize(width: max(1, image.size.width / 3), height: max(1, image.size.height / 3))
        let smaller = try decoder.decode(file, options: options)
        try ConformanceFailure.require(
            smaller.size.width <= image.size.width && smaller.size.height <= image.size.height
                && (smaller.size.width >= image.size.width / 3 || smaller.size.height >= image.size.height / 3),
            "\(name) was to be decoded to at least a third of \(image.size), and got \(smaller.size).")
    }

    /// The header is looked at before memory is taken.
    func limits() throws {
        var limits = DecodingLimits()
        limits.pixels = try decoder.info(of: file, limits: limits).size.pixelCount.map { $0 - 1 } ?? 0
        var options = DecodeOptions()
        options.limits = limits
        do {
            _ = try decoder.decode(file, options: options)
            throw ConformanceFailure("\(name) was decoded though it has a pixel more than the limit.")
        } catch let error as ImageError {
            try ConformanceFailure.require(
                error.code == .tooLarge, "\(name) is above the limit, and the error is \(error.code) instead of tooLarge.")
        }
    }

    /// Files that end early or have wrong bytes give an ``ImageError`` or a picture of their size, and what is cut is never
    /// called whole where a part was asked for.
    func damage() throws {
        for cut in Set((0..<16).map { file.count * $0 / 16 }).union([file.count - 1]) where cut > 0 {
            var options = DecodeOptions()
            try failing("cut after \(cut) of \(file.count) bytes") { _ = try decoder.decode(file.prefix(cut), options: options) }
            options.allowsPartial = true
            try failing("cut after \(cut) of \(file.count) bytes, a part allowed,") {
                _ = try decoder.decode(file.prefix(cut), options: options)
            }
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<64 {
            var damaged = file
            for _ in 0..<4 { damaged[.random(in: damaged.indices, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random) }
            try failing("with four wrong bits") { _ = try decoder.decode(damaged, options: DecodeOptions()) }
            try failing("with four wrong bits") { _ = try decoder.info(of: damaged, limits: DecodingLimits()) }
        }
    }

    /// Runs `body`, which may fail, but only with an ``ImageError``.
    private func failing(_ what: String, _ body: () throws -> Void) throws(ConformanceFailure) {
        do {
            try body()
        } catch is ImageError {
        } catch {
            throw ConformanceFailure("\(name) \(what) threw \(type(of: error)); a decoder throws ImageError.")
        }
    }

    func cancelling() throws {
        var options = DecodeOptions()
        let token = CancellationToken()
        token.cancel()
        options.cancellation = token
        do {
            _ = try decoder.decode(file, options: options)
            throw ConformanceFailure("\(name) was decoded though its token was cancelled before.")
        } catch is CancellationError {
        } catch let error as ImageError {
            throw ConformanceFailure("\(name) was cancelled and threw \"\(error.message)\" instead of a CancellationError.")
        }
    }

    /// However a file is cut, the picture is the same.
    func pieces() throws {
        guard let incremental = decoder as? any IncrementalDecoding else { return }
        let whole = try decoded(file)
        for length in [1, 7, 1_000, file.count] {
            guard let decoder = try incremental.makeIncrementalDecoder(for: file.prefix(4_096), options: DecodeOptions()) else {
                return
            }
            for start in stride(from: file.startIndex, to: file.endIndex, by: length) {
                try decoder.append(file[start..<min(start + length, file.endIndex)])
                if let preview = try start % 64 < length ? decoder.preview() : nil {
                    try ConformanceFailure.require(preview.isPreview, "A preview of \(name.lowercased()) is not marked as one.")
                }
            }
            try ConformanceFailure.require(
                same(try decoder.finish(), whole), "\(name) gave another picture in pieces of \(length) bytes.")
        }
    }

    private func decoded(_ data: Data) throws -> DecodedImage { try decoder.decode(data, options: DecodeOptions()) }
}
