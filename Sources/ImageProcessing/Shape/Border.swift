public import ImageCore
public import ImageKernels

/// Draws a border inside the edges of an image, whose size does not change.
public struct Border: Processing, Hashable {
    /// The width in pixels; at least 1.
    public let width: Int
    /// The colour of the border.
    public let color: PixelColor

    /// Creates the processor.
    public init(width: Int, color: PixelColor) { (self.width, self.color) = (width, color) }

    public var identifier: String { "calotype.border(\(width),\(color.hex))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a width that is not from 1 to 1,000,000.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try require("border", side: "width", width)
        let size = image.size
        let across = min(width, size.width)
        // A border wider than half the image covers all of it, each pixel once.
        let isWhole = 2 * width >= min(size.width, size.height)
        let line = try Bitmap.filled(PixelSize(width: size.width, height: 1), with: color, like: image.bitmap)
        return image.with(
            try image.bitmap.overlaid(with: line, opacity: 1, threads: context.threads, cancellation: context.cancellation) {
                row, lay in
                if isWhole || row < width || row >= size.height - width {
                    lay(0, 0, size.width)
                } else {
                    lay(0, 0, across)
                    lay(size.width - across, 0, across)
                }
            })
    }
}

extension Processing where Self == Border {
    /// Draws a border of `width` pixels inside the edges.
    public static func border(width: Int, color: PixelColor) -> Self { Self(width: width, color: color) }
}
