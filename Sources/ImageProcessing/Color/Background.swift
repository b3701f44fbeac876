public import ImageCore
public import ImageKernels

/// Draws a colour behind transparent pixels.
public struct Background: Processing, Hashable {
    /// The colour behind the image.
    public let color: PixelColor

    /// Creates the processor.
    public init(_ color: PixelColor) { self.color = color }

    public var identifier: String { "calotype.background(\(color.hex))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.flattened(onto: color, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Background {
    /// Draws a colour behind transparent pixels.
    public static func background(_ color: PixelColor) -> Background { Background(color) }
}
