public import ImageCore

extension Bitmap {
    /// The rectangle of the picture with its top left corner at (`x`, `y`), in pixels. Exact.
    ///
    /// - Throws: ``ImageError`` (`invalidRequest`) for a rectangle that is empty or not inside the picture; (`tooLarge`)
    ///   where there is no memory.
    public func cropped(x: Int, y: Int, width: Int, height: Int) throws -> Bitmap {
        guard x >= 0, y >= 0, width > 0, height > 0, x <= self.width, y <= self.height, width <= self.width - x,
            height <= self.height - y
        else {
            throw ImageError(
                .invalidRequest,
                message: "The rectangle (\(x), \(y), \(width), \(height)) is not inside the picture of \(size) pixels.")
        }
        if width == self.width, height == self.height { return self }
        let part = PixelSize(width: width, height: height)
        return try unsafe Bitmap(size: part, format: format, alpha: alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            unsafe withUnsafePixels { source in
                let used = width * format.bytesPerPixel
                for row in 0..<height {
                    let start = (y + row) * self.bytesPerRow + x * format.bytesPerPixel
                    unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[row * bytesPerRow..<row * bytesPerRow + used])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + used]))
                }
            }
        }
    }
}
