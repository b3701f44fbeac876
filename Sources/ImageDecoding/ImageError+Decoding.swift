package import ImageCore

extension ImageError {
    /// The error for a file that ends before its image does.
    package static func truncated(_ format: ImageFormat) -> ImageError {
        let name = format == .webp ? "WebP" : format.rawValue.uppercased()
        return ImageError(
            .truncated, message: "The \(name) file ends before its image does. Download or copy it again.")
    }

    /// The error for a codec that could not allocate memory, or that would exceed the byte limit.
    package static func outOfMemory(_ format: ImageFormat) -> ImageError {
        ImageError(
            .tooLarge,
            message:
                "There is not enough memory within the limit to decode the \(format) image. Raise the limit or decode to a smaller size."
        )
    }
}
