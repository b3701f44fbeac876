public import ImageCore
public import ImageKernels

/// Turns a picture clockwise about its centre, on a canvas that just holds it.
public struct Rotate: Processing, Hashable {
    /// Clockwise; any finite angle. Multiples of 90 are exact.
    public let degrees: Double
    /// Behind the corners that the picture leaves free.
    public let background: PixelColor

    public init(degrees: Double, background: PixelColor) { (self.degrees, self.background) = (degrees, background) }

    public var identifier: String { "calotype.rotate(\(degrees.text),\(background.hex))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for an angle that is not finite.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        guard degrees.isFinite else { throw ImageError.wrong("rotate", "angle", degrees, "that is finite") }
        try context.check(image.bitmap.rotatedSize(degrees: degrees), after: identifier)
        let turned = try image.bitmap.rotated(degrees: degrees, cancellation: context.cancellation)
        if background.alpha == 0 || degrees.remainder(dividingBy: 90) == 0 { return image.with(turned) }
        return image.with(try turned.flattened(onto: background, cancellation: context.cancellation))
    }
}

/// Mirrors a picture.
public struct Flip: Processing, Hashable {
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        /// Left and right change places.
        case horizontal
        /// Top and bottom change places.
        case vertical
    }

    public let direction: Direction

    public init(_ direction: Direction) { self.direction = direction }

    public var identifier: String { "calotype.flip(\(direction.rawValue))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.oriented(direction == .horizontal ? .upMirrored : .downMirrored))
    }
}

extension Processing where Self == Rotate {
    /// Turns clockwise; what the picture leaves free shows `background`.
    public static func rotate(degrees: Double, background: PixelColor = .clear) -> Self {
        Self(degrees: degrees, background: background)
    }
}

extension Processing where Self == Flip {
    /// Mirrors left to right, or top to bottom.
    public static func flip(_ direction: Flip.Direction) -> Self { Self(direction) }
}
