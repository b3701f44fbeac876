internal import ImageCore

extension ImageInfo {
    /// The memory that the fully decoded image takes, in bytes.
    var decodedBytes: Int {
        guard let pixels = size.pixelCount else { return .max }
        let bytes = pixels.multipliedReportingOverflow(by: PixelFormat.rgba8.bytesPerPixel)
        return bytes.overflow ? .max : bytes.partialValue
    }
}
