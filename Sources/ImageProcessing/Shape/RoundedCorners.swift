public import ImageCore
public import ImageKernels

/// Rounds the corners of an image, with smooth edges.
public struct RoundedCorners: Processing, Hashable {
    /// The radii in pixels. Radii that exceed a side together are scaled down.
    public let radii: CornerRadii

    /// Creates the processor.
    public init(_ radii: CornerRadii) { self.radii = radii }

    public var identifier: String {
        let all = [radii.topLeft, radii.topRight, radii.bottomRight, radii.bottomLeft].map(\.text)
        return "calotype.round(\(all.joined(separator: ",")))"
    }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a radius that is negative or not finite.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.rounded(radii, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == RoundedCorners {
    /// Rounds all corners by one radius, in pixels.
    public static func roundedCorners(radius: Double) -> Self { Self(CornerRadii(radius)) }
    /// Rounds each corner by its own radius, in pixels.
    public static func roundedCorners(_ radii: CornerRadii) -> Self { Self(radii) }
}
