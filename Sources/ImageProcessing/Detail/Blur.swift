public import ImageCore
internal import ImageKernels

/// Blurs an image by a Gaussian.
public struct Blur: Processing, Hashable {
    /// The standard deviation, in pixels; from 0 to 1,000.
    public let sigma: Double

    /// Creates the processor.
    public init(sigma: Double) { self.sigma = sigma }

    public var identifier: String { "calotype.blur(\(sigma.text))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a sigma outside its range.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.blurred(sigma: sigma, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Blur {
    /// Blurs by a Gaussian whose standard deviation is `radius` pixels.
    public static func blur(radius: Double) -> Blur { Blur(sigma: radius) }
}
