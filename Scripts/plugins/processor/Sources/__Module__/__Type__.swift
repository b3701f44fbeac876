import ImageCore
import ImageKernels

/// Changes images.
public struct __Type__: Processing {
    /// How much.
    public let amount: Int

    /// Creates a processor.
    public init(amount: Int) { self.amount = amount }

    // The name and every parameter: caches find the result by it, also after the next launch.
    public var identifier: String { "__name__(\(amount))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        // Bitmaps are immutable: make a new one, by the methods of ImageKernels or pixel by pixel. Call
        // `context.checkCancellation()` every few rows. Then return image.with(bitmap).
        throw ImageError(.plugInFailed, message: "__Type__ changes nothing yet: write process(_:context:) first.")
    }
}

extension Processing where Self == __Type__ {
    /// Changes the image.
    public static func __name__(amount: Int) -> __Type__ { __Type__(amount: amount) }
}
