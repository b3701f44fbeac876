public import ImageCore
public import ImageKernels

/// Rounds the corners of an image, with smooth edges.
public struct RoundedCorners: Processing, Hashable {
    /// The radii. Radii that exceed a side together are scaled down.
    public let radii: CornerRadii

    /// Creates the processor.
    public init(_ radii: CornerRadii) { self.radii = radii }

    public var identifier: String { "calotype.round(\(radii.text))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a radius that is negative or not finite.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.rounded(radii, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == RoundedCorners {
    /// Rounds all corners by one radius, by default in pixels.
    public static func roundedCorners(radius: Double, unit: LengthUnit = .pixels) -> Self {
        Self(CornerRadii(radius, unit: unit))
    }

    /// Rounds each corner by its own radius.
    public static func roundedCorners(_ radii: CornerRadii) -> Self { Self(radii) }
}

extension CornerRadii {
    /// The radii as in an identifier: `4,4,0,0` in pixels, `50%,50%,50%,50%` of the shorter side.
    var text: String { all.map { unit.text($0) }.joined(separator: ",") }
}

extension LengthUnit {
    /// A length as in an identifier: `4` in pixels, `50%` of the shorter side.
    func text(_ length: Double) -> String { self == .pixels ? length.text : (length * 100).text + "%" }
}
