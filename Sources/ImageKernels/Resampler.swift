public import ImageCore

/// Resizes pixels: a separable filter, rows first combined from above to below, then from left to right.
///
/// Sums are made in 32-bit floating point and rounded once, at the end. Colour is weighted premultiplied, so the colour
/// of transparent pixels never bleeds, and is cut off at alpha, which the negative lobes of a filter may pass.
public enum Resampler {
    /// The part of `bitmap` that `geometry` names, at the size that it names.
    ///
    /// Where the part is smaller than the picture, pixels just outside it take part at its edges: the result is what
    /// cropping the resized whole would give.
    ///
    /// - Parameters:
    ///   - bitmap: of any format; straight alpha is premultiplied first.
    ///   - filter: ``ResampleFilter/lanczos3``.
    ///   - cancellation: looked at between blocks of rows.
    /// - Returns: a bitmap of the same format and colour space; premultiplied, or opaque where the source is.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a rectangle that is empty, not finite or not inside the picture,
    ///   or an empty result; (`tooLarge`) where there is no memory; `CancellationError`.
    public static func resize(
        _ bitmap: Bitmap, to geometry: ResizeGeometry, filter: ResampleFilter = .lanczos3, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        try check(geometry, source: bitmap.size)
        if geometry.isIdentity(for: bitmap.size), bitmap.alpha != .straight { return bitmap }
        let source = try bitmap.premultiplied()
        let plan = ResamplePlan(source: source.size, geometry: geometry, filter: filter)
        return try unsafe Bitmap(size: geometry.output, format: source.format, alpha: source.alpha, colorSpace: source.colorSpace)
        {
            pixels, bytesPerRow in
            try unsafe source.withUnsafePixels { rows in
                switch source.format {
                case .gray8, .rgba8:
                    try unsafe SwiftResampler<UInt8>(plan: plan, channels: source.format.channels)
                        .run(from: rows, source.bytesPerRow, to: pixels, bytesPerRow, cancellation)
                case .gray16, .rgba16:
                    try unsafe SwiftResampler<UInt16>(plan: plan, channels: source.format.channels)
                        .run(from: rows, source.bytesPerRow, to: pixels, bytesPerRow, cancellation)
                }
            }
        }
    }

    static func check(_ geometry: ResizeGeometry, source: PixelSize) throws(ImageError) {
        let (x, y, width, height) = (geometry.x, geometry.y, geometry.width, geometry.height)
        // A rectangle computed in floating point may pass the edge by a rounding error.
        let slack = 1e-6 * Double(max(source.width, source.height))
        guard x >= 0, y >= 0, width > 0, height > 0, x + width <= Double(source.width) + slack,
            y + height <= Double(source.height) + slack
        else {
            throw ImageError(
                .invalidRequest,
                message:
                    "The part (\(x), \(y), \(width), \(height)) to resize is not a rectangle inside the picture of \(source) pixels."
            )
        }
        guard geometry.output.width > 0, geometry.output.height > 0 else {
            throw ImageError(.invalidRequest, message: "A picture cannot be resized to \(geometry.output) pixels.")
        }
    }
}

/// The weights of both axes.
struct ResamplePlan: Sendable {
    let horizontal: ResampleWeights
    let vertical: ResampleWeights
    let output: PixelSize
    /// The source columns that take part.
    let columns: Range<Int>

    init(source: PixelSize, geometry: ResizeGeometry, filter: ResampleFilter) {
        output = geometry.output
        horizontal = ResampleWeights(
            source: source.width, origin: geometry.x, length: geometry.width, output: output.width, filter: filter)
        vertical = ResampleWeights(
            source: source.height, origin: geometry.y, length: geometry.height, output: output.height, filter: filter)
        columns = horizontal.window(0).lowerBound..<horizontal.window(output.width - 1).upperBound
    }
}
