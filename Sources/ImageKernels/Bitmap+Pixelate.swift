public import ImageCore

extension Bitmap {
    /// Returns the image in square blocks of their mean colours, from the top left. Blocks at the right and the bottom edge may
    /// be smaller.
    ///
    /// - Parameters:
    ///   - block: the side of a block, in pixels; at least 1.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between rows of blocks.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a block without a side; (`tooLarge`) if there is not enough memory;
    ///   `CancellationError`.
    public func pixelated(block: Int, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        guard block >= 1 else {
            throw ImageError(.invalidRequest, message: "An image cannot be pixelated in blocks of \(block) pixels.")
        }
        let source = try premultiplied()
        if block == 1 { return source }
        let block = min(block, max(width, height))
        let plan = ResamplePlan(source: source.size, block: block)
        let path = KernelPath.current
        return try unsafe Bitmap(size: size, format: source.format, alpha: source.alpha, colorSpace: colorSpace) {
            pixels, bytesPerRow in
            try unsafe source.withUnsafePixels { rows in
                let (from, to) = unsafe (rows.baseAddress.unsafelyUnwrapped, pixels.baseAddress.unsafelyUnwrapped)
                try RowQueue.run(rows: plan.output.height, threads: threads, block: max(1, 16 / block)) { queue in
                    let assembler = RowAssembler(plan: plan, format: source.format, path: path)
                    for line in queue {
                        try cancellation?.check()
                        let top = unsafe to + line * block * bytesPerRow
                        unsafe assembler.assemble(line, into: top) { row in unsafe from + row * source.bytesPerRow }
                        unsafe source.widen(top, block: block)
                        for copy in 1..<max(1, min(block, height - line * block)) {
                            unsafe (top + copy * bytesPerRow).copyMemory(from: top, byteCount: width * format.bytesPerPixel)
                        }
                    }
                }
            }
        }
    }

    /// Spreads the first pixels of a row over blocks, from the right so that none is overwritten before it is read.
    private func widen(_ row: UnsafeMutableRawPointer, block: Int) {
        let size = format.bytesPerPixel
        var x = width - 1
        while x >= 0 {
            let column = x / block
            if x != column { unsafe (row + x * size).copyMemory(from: row + column * size, byteCount: size) }
            x -= 1
        }
    }
}

extension ResamplePlan {
    /// Means of square blocks.
    init(source: PixelSize, block: Int) {
        self.init(
            horizontal: ResampleWeights(source: source.width, block: block),
            vertical: ResampleWeights(source: source.height, block: block), source: source)
    }
}
