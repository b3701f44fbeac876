public import ImageCore

/// Resizes pixels: a separable filter, rows first combined from above to below, then from left to right.
///
/// Sums are made in 32-bit floating point and rounded once, at the end. Colour is weighted premultiplied, so the colour
/// of transparent pixels never bleeds, and is cut off at alpha, which the negative lobes of a filter may pass.
public enum Resampler {
    /// The part of `bitmap` that `geometry` names, at the size that it names.
    ///
    /// Where the part is smaller than the image, pixels just outside it take part at its edges: the result is what
    /// cropping the resized whole would give.
    ///
    /// - Parameters:
    ///   - bitmap: of any format; straight alpha is premultiplied first.
    ///   - filter: ``ResampleFilter/lanczos3``.
    ///   - isLinear: whether colours are mixed in linear light, taking them for sRGB, rather than as stored; `false`.
    ///   - threads: how many to work with, the caller's included; 1. Small results take fewer.
    ///   - cancellation: looked at between blocks of rows.
    /// - Returns: a bitmap of the same format and colour space; premultiplied, or opaque where the source is.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a rectangle that is empty, not finite or not inside the image,
    ///   or an empty result; (`tooLarge`) where there is no memory; `CancellationError`.
    public static func resize(
        _ bitmap: Bitmap, to geometry: ResizeGeometry, filter: ResampleFilter = .lanczos3, isLinear: Bool = false,
        threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        try check(geometry, source: bitmap.size)
        try cancellation?.check()
        if geometry.isIdentity(for: bitmap.size), bitmap.alpha != .straight { return bitmap }
        if isLinear {
            let linear = try bitmap.linearized(cancellation: cancellation)
            let small = try resize(linear, to: geometry, filter: filter, threads: threads, cancellation: cancellation)
            return try small.encoded(as: bitmap.format, cancellation: cancellation)
        }
        let source = try bitmap.premultiplied()
        let plan = ResamplePlan(source: source.size, geometry: geometry, filter: filter)
        let path = KernelPath.current
        return try unsafe Bitmap(
            size: geometry.output, format: source.format, alpha: source.alpha, colorSpace: source.colorSpace
        ) { pixels, bytesPerRow in
            try unsafe source.withUnsafePixels { rows in
                let (from, to) = unsafe (rows.baseAddress.unsafelyUnwrapped, pixels.baseAddress.unsafelyUnwrapped)
                let left = plan.columns.lowerBound * source.format.bytesPerPixel
                try RowQueue.run(rows: geometry.output.height, threads: threads) { queue in
                    let assembler = RowAssembler(plan: plan, format: source.format, path: path)
                    for y in queue {
                        if y & 7 == 0 { try cancellation?.check() }
                        unsafe assembler.assemble(y, into: to + y * bytesPerRow) { row in
                            unsafe from + (row * source.bytesPerRow + left)
                        }
                    }
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
