internal import ImageCore

extension ImageInfo {
    /// The memory that the fully decoded image takes, in bytes.
    func bitmapBytes(of format: PixelFormat) -> Int {
        guard let pixels = size.pixelCount else { return .max }
        let bytes = pixels.multipliedReportingOverflow(by: format.bytesPerPixel)
        return bytes.overflow ? .max : bytes.partialValue
    }
}
