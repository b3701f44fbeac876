public import ImageCore

extension Bitmap {
    /// Returns the image in square blocks of their mean colours, from the top left. Blocks at the right and the bottom
    /// edge may be smaller.
    ///
    /// - Parameters:
    ///   - block: the side of a block, in pixels; at least 1.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a block without a side; (`tooLarge`) if there is not enough
    ///   memory; `CancellationError`.
    public func pixelated(block: Int, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        guard block >= 1 else {
            throw ImageError(.invalidRequest, message: "An image cannot be pixelated in blocks of \(block) pixels.")
        }
        let source = try premultiplied()
        if block == 1 { return source }
        let block = min(block, max(width, height))
        let blocks = PixelSize(width: (width + block - 1) / block, height: (height + block - 1) / block)
        // The last blocks may exceed the image. Their means are those of the pixels that are inside.
        var shrinking = ResizeGeometry(source: size, box: blocks, mode: .exact)
        (shrinking.width, shrinking.height) = (Double(blocks.width * block), Double(blocks.height * block))
        var spreading = ResizeGeometry(source: blocks, box: size, mode: .exact, upscales: true)
        (spreading.width, spreading.height) = (Double(width) / Double(block), Double(height) / Double(block))
        let means = ResamplePlan(source: size, geometry: shrinking, filter: .box)
        let copies = ResamplePlan(source: blocks, geometry: spreading, filter: .nearest)
        return try source.resampled(means, threads: threads, cancellation: cancellation)
            .resampled(copies, threads: threads, cancellation: cancellation)
    }
}
