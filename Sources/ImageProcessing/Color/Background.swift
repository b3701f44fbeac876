public import ImageCore
public import ImageKernels

/// Puts one colour behind what is transparent.
public struct Background: Processing, Hashable {
    public let color: PixelColor

    public init(_ color: PixelColor) { self.color = color }

    public var identifier: String { "calotype.background(\(color.hex))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.flattened(onto: color, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Background {
    /// Puts one colour behind what is transparent.
    public static func background(_ color: PixelColor) -> Background { Background(color) }
}
