public import ImageCore

extension Bitmap {
    /// The image turned and mirrored so that it stands upright, given how it is stored. Exact; ``Orientation/up``
    /// returns the bitmap itself.
    ///
    /// - Parameters:
    ///   - threads: how many to work with; 1.
    ///   - cancellation: looked at between blocks of rows.
    /// - Throws: ``ImageError`` (`tooLarge`) where there is no memory; `CancellationError`.
    public func oriented(
        _ orientation: Orientation, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        try turned(PixelRectangle(size), orientation, threads: threads, cancellation: cancellation)
    }
}
