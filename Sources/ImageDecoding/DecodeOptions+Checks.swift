package import ImageCore

extension DecodeOptions {
    /// The orientation that this decode applies.
    package func applied(_ orientation: Orientation) -> Orientation { appliesOrientation ? orientation : .up }

    /// Whether the part of an image that was decoded before `error` may be returned.
    package func allowsPartial(after error: ImageError) -> Bool {
        allowsPartial && (error.code == .truncated || error.code == .corrupt)
    }

    /// Throws `invalidRequest` if the image has no frame with the number ``frame``.
    package func checkFrame(of count: Int) throws(ImageError) { try checkFrame(frame, of: count) }

    /// Throws `invalidRequest` if the image has no frame with the number `index`.
    package func checkFrame(_ index: Int, of count: Int) throws(ImageError) {
        guard index >= 0, index < count else {
            throw ImageError(
                .invalidRequest,
                message:
                    "The image has no frame \(index): it has \(count == 1 ? "one frame" : "\(count) frames"), counted from 0.")
        }
    }
}

extension DecodingLimits {
    /// Checks the pixels and the memory of a decode.
    ///
    /// - Parameters:
    ///   - size: the size of the image in pixels.
    ///   - bytes: the parts of the peak memory in bytes: the result, and the memory of the codec if it is known.
    /// - Throws: ``ImageError`` (`tooLarge`) if they exceed a limit.
    package func check(_ size: PixelSize, holding bytes: [Int]) throws(ImageError) {
        try check(size, bytesPerPixel: 0)
        var sum = 0
        for part in bytes {
            let (next, overflow) = sum.addingReportingOverflow(part)
            sum = overflow ? Int.max : next
        }
        guard sum <= imageBytes else {
            throw ImageError(
                .tooLarge,
                message:
                    "Decoding the image of \(size) pixels takes \(sum) bytes; the limit is \(imageBytes) bytes. Raise the limit to decode it."
            )
        }
    }
}

extension PixelSize {
    /// The bytes of a bitmap of this size; `Int.max` if the number overflows.
    package func byteCount(_ format: PixelFormat) -> Int {
        let (count, overflow) = Bitmap.bytesPerRow(width: width, format: format).multipliedReportingOverflow(by: height)
        return overflow ? Int.max : count
    }
}
