public import ImageCore
internal import ImageKernels

/// Sharpens an image with an unsharp mask: adds its difference from a blurred image.
public struct Sharpen: Processing, Hashable {
    /// The standard deviation of the blur, in pixels; from 0 to 1,000.
    public let sigma: Double
    /// The factor of the difference, from 0 (no change) to 100; 1 doubles the details.
    public let amount: Double
    /// Differences up to this share of the full level are not changed; from 0 to 1.
    public let threshold: Double

    /// Creates the processor.
    public init(sigma: Double, amount: Double, threshold: Double) {
        (self.sigma, self.amount, self.threshold) = (sigma, amount, threshold)
    }

    public var identifier: String { "calotype.sharpen(\(sigma.text),\(amount.text),\(threshold.text))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a parameter outside its range.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(
            try image.bitmap.sharpened(
                sigma: sigma, amount: amount, threshold: threshold, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Sharpen {
    /// Sharpens with an unsharp mask.
    ///
    /// - Parameters:
    ///   - radius: the standard deviation of the blur, in pixels; 1.
    ///   - amount: the factor of the difference, from 0 to 100; 0.5.
    ///   - threshold: the share of the full level up to which differences are not changed, from 0 to 1; 0.
    public static func sharpen(radius: Double = 1, amount: Double = 0.5, threshold: Double = 0) -> Sharpen {
        Sharpen(sigma: radius, amount: amount, threshold: threshold)
    }
}
