public import ImageCore

extension Bitmap {
    /// The same image with colour multiplied by alpha, rounded to the nearest level. Bitmaps that are opaque or
    /// premultiplied already come back as they are.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) where there is no memory.
    public func premultiplied() throws -> Bitmap {
        guard alpha == .straight else { return self }
        let path = KernelPath.current
        return try unsafe editingRows(alpha: .premultiplied) { _, row in
            unsafe PixelRow.premultiply(row, format: format, path: path)
        }
    }

    /// The same image with colour divided by alpha, rounded to the nearest level (a half away from zero) and cut off
    /// at full; transparent pixels become zero. Bitmaps that are opaque or straight already come back as they are.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) where there is no memory.
    public func unpremultiplied() throws -> Bitmap {
        guard alpha == .premultiplied else { return self }
        let path = KernelPath.current
        return try unsafe editingRows(alpha: .straight) { _, row in
            unsafe PixelRow.unpremultiply(row, format: format, path: path)
        }
    }
}
