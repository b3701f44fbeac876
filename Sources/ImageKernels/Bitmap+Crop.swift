public import ImageCore

extension Bitmap {
    /// The rectangle of the image with its top left corner at (`x`, `y`), in pixels. Exact.
    ///
    /// - Parameters:
    ///   - x: the left edge, in pixels from the left.
    ///   - y: the top edge, in pixels from the top.
    ///   - width: the width of the rectangle, in pixels.
    ///   - height: the height of the rectangle, in pixels.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a rectangle that is empty or not inside the image; (`tooLarge`)
    ///   if there is not enough memory; `CancellationError`.
    public func cropped(
        x: Int, y: Int, width: Int, height: Int, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        let part = PixelRectangle(x: x, y: y, width: width, height: height)
        try part.check(inside: size)
        return try turned(part, .up, threads: threads, cancellation: cancellation)
    }
}
