internal import ImageCore

extension DecodingCheck {
    // MARK: Damaged files

    /// Where files are cut: everywhere in a small file, and near the end of every file.
    var cuts: [Int] {
        let spread = (0..<96).map { file.count * $0 / 96 }
        return Set(file.count <= 96 ? Array(1..<file.count) : spread + (file.count - 12..<file.count)).filter { $0 > 0 }.sorted()
    }

    func checkCuts(_ image: DecodedImage) {
        for cut in cuts {
            for allowsPartial in [false, true] {
                let detail = "cut after \(cut) of \(file.count) bytes\(allowsPartial ? ", with allowsPartial" : "")"
                guard let found = decodeDamaged(file.prefix(cut), detail, { $0.allowsPartial = allowsPartial }) else { continue }
                check(.respectsAllowsPartial, detail) {
                    try require(allowsPartial || !found.isPartial, "It gave a partial image.")
                    try require(found.size == image.size, "It gave an image of \(found.size) instead of \(image.size).")
                    try requireValidAlpha(of: found)
                }
                check(.reportsTruncation, detail) {
                    // The bytes after the last pixel may be missing.
                    guard !found.isPartial else { return }
                    try ComparablePixels(found.bitmap).requireSame(
                        as: ComparablePixels(image.bitmap), most: 0,
                        "It gave an image that is not marked as partial. It and the whole one have")
                }
            }
        }
    }

    func checkDamage() {
        var random = SeededGenerator(seed: 7)
        for number in 0..<64 {
            var damaged = file
            for _ in 0..<4 { damaged[.random(in: damaged.indices, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random) }
            let detail = "with four flipped bits (number \(number))"
            _ = decodeDamaged(damaged, detail) { $0.allowsPartial = number % 2 == 1 }
            check(.throwsImageErrors, detail) {
                do { _ = try decoder.info(of: damaged, limits: DecodingLimits()) } catch is ImageError {}
            }
        }
    }

    /// Decodes a damaged file, which may throw an ``ImageError``.
    private func decodeDamaged(_ data: Data, _ detail: String, _ change: (inout DecodeOptions) -> Void) -> DecodedImage? {
        var image: DecodedImage?
        check(.throwsImageErrors, detail) {
            do { image = try decode(data, change) } catch is ImageError {}
        }
        return image
    }

    func checkCancellation() {
        check(.stopsWhenCancelled) {
            let token = CancellationToken()
            token.cancel()
            try requireCancellation { _ = try decode(file) { $0.cancellation = token } }
        }
        check(.stopsWhenCancelled, "cancelled at the last check") {
            let count = Lock(0)
            let counting = CancellationToken {
                count.withLock { $0 += 1 }; return false
            }
            _ = try decode(file) { $0.cancellation = counting }
            let checks = count.withLock { $0 }
            try require(checks > 0, "Its decode never checked the token.")
            let token = CancellationToken {
                count.withLock {
                    $0 -= 1; return $0
                } <= 0
            }
            try requireCancellation { _ = try decode(file) { $0.cancellation = token } }
        }
    }

    // MARK: Previews

    func checkPreviews(_ image: DecodedImage) {
        guard let incremental = decoder as? any IncrementalDecoding else { return }
        for length in [1, 7, 1_000, file.count] {
            let detail = "of which \(length) bytes arrive at a time"
            var previews: [DecodedImage] = []
            check(.repeatsPreviews, detail) {
                previews = try self.previews(by: incremental, length)
                let again = try self.previews(by: incremental, length)
                try require(
                    previews.count == again.count && zip(previews, again).allSatisfy { isSame($0, $1) },
                    "Two decoders gave different previews.")
            }
            for preview in previews {
                check(.marksPreviews, detail) {
                    try require(preview.isPreview, "A preview is not marked as one.")
                    let width = Double(image.size.width) * Double(preview.size.height) / Double(image.size.height)
                    let height = Double(image.size.height) * Double(preview.size.width) / Double(image.size.width)
                    try require(
                        abs(Double(preview.size.width) - width) <= 1 || abs(Double(preview.size.height) - height) <= 1,
                        "The image has \(image.size) pixels, but a preview \(preview.size).")
                    try requireValidAlpha(of: preview)
                }
            }
            if let last = previews.last {
                check(.endsPreviewsWithTheImage, detail) {
                    let (a, b) = (ComparablePixels(last.bitmap), ComparablePixels(image.bitmap))
                    if a.size == b.size { return try a.requireSame(as: b, mean: 16, "The last preview and the image have") }
                    try require(
                        zip(a.means, b.means).allSatisfy { abs($0 - $1) <= 24 },
                        "The mean of the last preview's red, green, blue and alpha is \(a.means), but \(b.means) in the image.")
                }
            }
        }
    }

    private func previews(by decoder: any IncrementalDecoding, _ length: Int) throws -> [DecodedImage] {
        guard let decoder = try decoder.makeIncrementalDecoder(for: file.prefix(4_096), options: DecodeOptions()) else {
            return []
        }
        var previews: [DecodedImage] = []
        for count in stride(from: length, to: file.count + length, by: length) {
            do {
                if let preview = try decoder.preview(of: file.prefix(count)) { previews.append(preview) }
            } catch is ImageError {
                break
            }
        }
        return previews
    }
}
