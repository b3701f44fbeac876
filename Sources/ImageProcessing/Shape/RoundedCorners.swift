public import ImageCore
public import ImageKernels

/// Rounds the corners of an image off, with smooth edges.
public struct RoundedCorners: Processing, Hashable {
    /// In pixels; radii that would meet along a side are scaled down together.
    public let radii: CornerRadii

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

/// Cuts the largest circle out of the middle of an image, with a smooth edge.
public struct Circle: Processing, Hashable {
    public init() {}

    public var identifier: String { "calotype.circle" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        let side = min(image.size.width, image.size.height)
        let place = Gravity.center.place(PixelSize(width: side, height: side), in: image.size)
        let square = try image.bitmap.cropped(x: place.x, y: place.y, width: side, height: side)
        return image.with(
            try square.rounded(
                CornerRadii(Double(side) / 2), threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == RoundedCorners {
    /// Rounds all corners by one radius, in pixels.
    public static func roundedCorners(radius: Double) -> Self { Self(CornerRadii(radius)) }
    /// Rounds each corner by its own radius, in pixels.
    public static func roundedCorners(_ radii: CornerRadii) -> Self { Self(radii) }
}

extension Processing where Self == Circle {
    /// Cuts out the largest circle in the middle.
    public static var circle: Circle { Circle() }
}
