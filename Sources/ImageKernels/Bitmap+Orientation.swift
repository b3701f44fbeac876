public import ImageCore

extension Bitmap {
    /// Returns the stored image turned and mirrored so that it is upright. Exact; for ``Orientation/up`` returns the
    /// bitmap itself.
    ///
    /// - Parameters:
    ///   - orientation: how the image is stored.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory; `CancellationError`.
    public func oriented(
        _ orientation: Orientation, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        try turned(PixelRectangle(size), orientation, threads: threads, cancellation: cancellation)
    }
}
