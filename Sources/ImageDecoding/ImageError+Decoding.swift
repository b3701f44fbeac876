package import ImageCore

extension ImageError {
    /// The error for a file that ends before its image does.
    package static func truncated(_ format: ImageFormat) -> ImageError {
        ImageError(
            .truncated, message: "The \(format.displayName) file ends before its image does. Download or copy it again.")
    }

    /// The error for a file that violates its format.
    ///
    /// - Parameter reason: what is wrong, as a clause without a full stop.
    package static func damaged(_ format: ImageFormat, _ reason: String) -> ImageError {
        ImageError(.corrupt, message: "The \(format.displayName) file is damaged: \(reason).")
    }

    /// The error for a codec that could not allocate memory, or that would exceed the byte limit.
    package static func outOfMemory(_ format: ImageFormat) -> ImageError {
        ImageError(
            .tooLarge,
            message:
                "There is not enough memory within the limit to decode the \(format) image. Raise the limit or decode to a smaller size."
        )
    }

    /// The error for an animation beyond the limit of frames.
    package static func tooManyFrames(_ format: ImageFormat, _ limits: DecodingLimits) -> ImageError {
        ImageError(
            .tooLarge,
            message: "The \(format.displayName) has more than \(limits.frames) frames, the limit; raise it to load the image.")
    }

    /// The error for an image that cannot be stored in a format.
    ///
    /// - Parameter reason: why, as a clause without a full stop.
    package static func unwritable(_ format: ImageFormat, _ size: PixelSize, _ reason: String) -> ImageError {
        ImageError(
            .unsupportedFeature,
            message: "The image of \(size) pixels cannot be written as \(format.displayName): \(reason).")
    }

    /// Checks that an image can be stored in a format.
    ///
    /// - Parameter most: the largest width and height of the format or its encoder, in pixels.
    package static func checkSides(of size: PixelSize, for format: ImageFormat, atMost most: Int) throws(ImageError) {
        if max(size.width, size.height) > most { throw unwritable(format, size, "its sides have at most \(most) pixels") }
    }
}
