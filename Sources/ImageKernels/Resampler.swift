public import ImageCore

/// Resizes bitmaps with a separable filter, first vertically, then horizontally.
///
/// Sums are computed in 32-bit floating point and rounded once, at the end. Colours are premultiplied, so that the
/// colour of transparent pixels does not bleed, and clamped to alpha, which the negative lobes of a filter may exceed.
public enum Resampler {
    /// Returns the part of `bitmap` that `geometry` describes, resized to its output size.
    ///
    /// If the part is smaller than the image, its edges also depend on pixels outside of it: the result is that of
    /// cropping the resized image.
    ///
    /// - Parameters:
    ///   - bitmap: a bitmap of any format. Straight alpha is premultiplied first.
    ///   - geometry: the part to take and its size in the result.
    ///   - filter: ``ResampleFilter/lanczos3``.
    ///   - isLinear: whether colours, as sRGB, are mixed in linear light instead of as stored; `false`.
    ///   - threads: how many threads to use, including that of the caller; 1. Small results take fewer.
    ///   - cancellation: checked between blocks of rows.
    /// - Returns: a bitmap of the same format and colour space; premultiplied, or opaque if the source is.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a rectangle that is empty, not finite or more than half a pixel
    ///   outside of the image, or an empty result; (`tooLarge`) if there is not enough memory; `CancellationError`.
    public static func resize(
        _ bitmap: Bitmap, to geometry: ResizeGeometry, filter: ResampleFilter = .lanczos3, isLinear: Bool = false,
        threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        try check(geometry, source: bitmap.size)
        if geometry.isIdentity(for: bitmap.size) { return try bitmap.premultiplied() }
        let plan = ResamplePlan(source: bitmap.size, geometry: geometry, filter: filter)
        if isLinear {
            return try bitmap.linearized(cancellation: cancellation)
                .resampled(plan, threads: threads, cancellation: cancellation)
                .encoded(as: bitmap.format, cancellation: cancellation)
        }
        return try bitmap.premultiplied().resampled(plan, threads: threads, cancellation: cancellation)
    }

    static func check(_ geometry: ResizeGeometry, source: PixelSize) throws(ImageError) {
        let (x, y, width, height) = (geometry.x, geometry.y, geometry.width, geometry.height)
        // The part may belong to an image whose edge was between two pixels.
        let slack = 0.5 + 1e-6 * Double(max(source.width, source.height))
        guard x >= -slack, y >= -slack, width > 0, height > 0, x + width <= Double(source.width) + slack,
            y + height <= Double(source.height) + slack
        else {
            throw ImageError(
                .invalidRequest,
                message:
                    "The part (\(x), \(y), \(width), \(height)) to resize is not a rectangle inside the image of \(source) pixels."
            )
        }
        let longest = max(source.width, source.height, geometry.output.width, geometry.output.height)
        guard longest <= 1 << 30 else {
            throw ImageError(.tooLarge, message: "A side of \(longest) pixels is too long to resize.")
        }
        guard geometry.output.width > 0, geometry.output.height > 0 else {
            throw ImageError(.invalidRequest, message: "An image cannot be resized to \(geometry.output) pixels.")
        }
    }
}
