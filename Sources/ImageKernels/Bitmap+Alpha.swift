public import ImageCore

extension Bitmap {
    /// Returns the image with colour multiplied by alpha, rounded to the nearest level. An opaque or premultiplied
    /// bitmap is returned unchanged.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory.
    public func premultiplied() throws -> Bitmap {
        guard alpha == .straight else { return self }
        let path = KernelPath.current
        return try unsafe editingRows(alpha: .premultiplied) { _, row in unsafe PixelKernels.premultiply(row, width, path) }
    }

    /// Returns the image with colour divided by alpha, rounded to the nearest level (a half away from zero) and
    /// clamped. Transparent pixels become zero. An opaque or straight bitmap is returned unchanged.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory.
    public func unpremultiplied() throws -> Bitmap {
        guard alpha == .premultiplied else { return self }
        let path = KernelPath.current
        return try unsafe editingRows(alpha: .straight) { _, row in unsafe PixelKernels.unpremultiply(row, width, path) }
    }
}
