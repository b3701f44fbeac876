package import ImageCore

extension DecodeOptions {
    /// The orientation that this decode applies.
    package func applied(_ orientation: Orientation) -> Orientation { appliesOrientation ? orientation : .up }

    /// Whether the part of an image that was decoded before `error` may be returned.
    package func allowsPartial(after error: ImageError) -> Bool {
        allowsPartial && (error.code == .truncated || error.code == .corrupt)
    }

    /// Throws `invalidRequest` where the image has no frame ``frame``.
    package func checkFrame(of count: Int) throws(ImageError) { try checkFrame(frame, of: count) }

    /// Throws `invalidRequest` where the image has no frame `index`.
    package func checkFrame(_ index: Int, of count: Int) throws(ImageError) {
        guard index >= 0, index < count else {
            throw ImageError(
                .invalidRequest,
                message: "Frame \(index) was asked for, but the image has \(count == 1 ? "one" : "\(count)"), counted from 0.")
        }
    }
}

extension DecodingLimits {
    /// Refuses an image whose size is beyond the pixel limit, or for which more than the byte limit would be held.
    ///
    /// - Parameter bytes: what the decode holds at its peak: the result, and the codec's own memory where it is known.
    package func check(_ size: PixelSize, holding bytes: [Int]) throws(ImageError) {
        try check(size, bytesPerPixel: 0)
        var sum = 0
        for part in bytes {
            let (next, overflow) = sum.addingReportingOverflow(part)
            sum = overflow ? Int.max : next
        }
        guard sum <= decodedBytes else {
            throw ImageError(
                .tooLarge,
                message:
                    "Decoding this \(size) image takes \(sum) bytes, over the limit of \(decodedBytes); raise it to load it."
            )
        }
    }
}

extension PixelSize {
    /// Bytes of a bitmap of this size, or as many as there are numbers for.
    package func byteCount(_ format: PixelFormat) -> Int {
        let (count, overflow) = Bitmap.bytesPerRow(width: width, format: format).multipliedReportingOverflow(by: height)
        return overflow ? Int.max : count
    }
}
