public import ImageCore
internal import ImageKernels

/// Crops an image to a rectangle.
public struct Crop: Processing, Hashable {
    /// The left edge, in pixels from that of the image.
    public let x: Int
    /// The top edge, in pixels from that of the image.
    public let y: Int
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    /// Creates the processor.
    public init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    public var identifier: String { "calotype.crop(\(x),\(y),\(width),\(height))" }

    public var usesPixelCoordinates: Bool { true }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) where the rectangle is empty or not inside the image.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(
            try image.bitmap.cropped(
                x: x, y: y, width: width, height: height, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Crop {
    /// Crops to the rectangle with its top left corner at (`x`, `y`), in pixels. It must be inside of the image.
    public static func crop(x: Int, y: Int, width: Int, height: Int) -> Crop { Crop(x: x, y: y, width: width, height: height) }
}
