public import ImageCore
internal import ImageKernels
internal import CalotypeSystem

/// Raises every level, from 0 to 1, to a power.
public struct Gamma: Processing, Hashable {
    /// The result is the level to the power of 1 / `gamma`: above 1 brightens the middle, below darkens it. From 0.01
    /// to 100.
    public let gamma: Double

    /// Creates the processor.
    public init(_ gamma: Double) { self.gamma = gamma }

    public var identifier: String { "calotype.gamma(\(gamma.text))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a gamma outside its range.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try require("gamma", "value", gamma, in: 0.01...100)
        return image.with(
            try image.bitmap.mappingLevels(threads: context.threads, cancellation: context.cancellation) {
                pow($0, 1 / gamma)
            })
    }
}

extension Processing where Self == Gamma {
    /// Raises every level to the power of 1 / `gamma`.
    public static func gamma(_ gamma: Double) -> Gamma { Gamma(gamma) }
}
