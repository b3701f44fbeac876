package import ImageCore

extension ImageError {
    /// A file that ends before its image does.
    package static func truncated(_ format: ImageFormat) -> ImageError {
        let name = format == .webp ? "WebP" : format.rawValue.uppercased()
        return ImageError(
            .truncated, message: "The \(name) file ends before its image does; it was cut off or not received in full.")
    }

    /// A codec had no memory, or would have passed the byte limit.
    package static func outOfMemory(_ format: ImageFormat) -> ImageError {
        ImageError(.tooLarge, message: "There is not enough memory within the limit to decode this \(format) image.")
    }
}
