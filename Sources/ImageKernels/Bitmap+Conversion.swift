public import ImageCore

extension Bitmap {
    /// Returns the image as 8-bit RGBA: grey is repeated in red, green and blue with full alpha, and 16-bit samples are
    /// rounded to the nearest of 256 levels. Alpha mode and colour space do not change. An ``PixelFormat/rgba8`` bitmap
    /// is returned unchanged.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory.
    public func convertedToRGBA8() throws -> Bitmap { try converted(to: .rgba8) }
}
