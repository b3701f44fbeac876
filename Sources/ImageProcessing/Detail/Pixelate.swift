public import ImageCore
internal import ImageKernels

/// Shows an image in square blocks of their mean colour.
public struct Pixelate: Processing, Hashable {
    /// The side of a block, in pixels; at least 1.
    public let block: Int

    /// Creates the processor.
    public init(block: Int) { self.block = block }

    public var identifier: String { "calotype.pixelate(\(block))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a block without a side.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.pixelated(block: block, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Pixelate {
    /// Shows square blocks of that many pixels a side in their mean colour.
    public static func pixelate(block: Int) -> Pixelate { Pixelate(block: block) }
}
