public import ImageCore
internal import ImageKernels

/// Blurs an image by a Gaussian.
public struct Blur: Processing, Hashable {
    /// The standard deviation, in pixels; from 0 to 1,000.
    public let sigma: Double

    public init(sigma: Double) { self.sigma = sigma }

    public var identifier: String { "calotype.blur(\(sigma.text))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a sigma outside its range.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.blurred(sigma: sigma, threads: context.threads, cancellation: context.cancellation))
    }
}

/// Raises the details of an image: adds what a blur takes away (an unsharp mask).
public struct Sharpen: Processing, Hashable {
    /// Of the blur, in pixels; from 0 to 1,000.
    public let sigma: Double
    /// From 0 (nothing changes) to 100; 1 doubles the details.
    public let amount: Double
    /// Differences up to this share of the full level are left alone; from 0 to 1.
    public let threshold: Double

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

/// Shows an image in square blocks of their mean colour.
public struct Pixelate: Processing, Hashable {
    /// The side of a block, in pixels; at least 1.
    public let block: Int

    public init(block: Int) { self.block = block }

    public var identifier: String { "calotype.pixelate(\(block))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a block without a side.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.pixelated(block: block, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Blur {
    /// Blurs by a Gaussian whose standard deviation is `radius` pixels.
    public static func blur(radius: Double) -> Blur { Blur(sigma: radius) }
}

extension Processing where Self == Sharpen {
    /// Sharpens by an unsharp mask: `radius` in pixels, `amount` 1 doubles the details, differences up to `threshold`
    /// (0 to 1 of the full level) are left alone.
    public static func sharpen(radius: Double = 1, amount: Double = 0.5, threshold: Double = 0) -> Sharpen {
        Sharpen(sigma: radius, amount: amount, threshold: threshold)
    }
}

extension Processing where Self == Pixelate {
    /// Shows square blocks of that many pixels a side in their mean colour.
    public static func pixelate(block: Int) -> Pixelate { Pixelate(block: block) }
}
