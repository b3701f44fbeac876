public import ImageCore
public import ImageKernels

/// Turns an image clockwise about its centre, on a canvas that just holds it.
public struct Rotate: Processing, Hashable {
    /// Clockwise; any finite angle. Multiples of 90 are exact.
    public let degrees: Double
    /// Behind the corners that the image leaves free.
    public let background: PixelColor

    public init(degrees: Double, background: PixelColor) { (self.degrees, self.background) = (degrees, background) }

    public var identifier: String { "calotype.rotate(\(degrees.text),\(background.hex))" }

    /// The turn by right angles that this is, if it is one.
    var orientation: Orientation? { Bitmap.orientation(degrees: degrees) }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for an angle that is not finite.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        guard degrees.isFinite else { throw ImageError.wrong("rotate", "angle", degrees, "that is finite") }
        try context.check(image.bitmap.rotatedSize(degrees: degrees), after: identifier)
        let turned = try image.bitmap.rotated(degrees: degrees, threads: context.threads, cancellation: context.cancellation)
        if background.alpha == 0 || orientation != nil { return image.with(turned) }
        return image.with(
            try turned.flattened(onto: background, threads: context.threads, cancellation: context.cancellation))
    }
}

/// Mirrors an image.
public struct Flip: Processing, Hashable {
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        /// Left and right change places.
        case horizontal
        /// Top and bottom change places.
        case vertical
    }

    public let direction: Direction

    public init(_ direction: Direction) { self.direction = direction }

    var orientation: Orientation { direction == .horizontal ? .upMirrored : .downMirrored }

    public var identifier: String { "calotype.flip(\(direction.rawValue))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try image.bitmap.oriented(orientation, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Rotate {
    /// Turns clockwise; what the image leaves free shows `background`.
    public static func rotate(degrees: Double, background: PixelColor = .clear) -> Self {
        Self(degrees: degrees, background: background)
    }
}

extension Processing where Self == Flip {
    /// Mirrors left to right, or top to bottom.
    public static func flip(_ direction: Flip.Direction) -> Self { Self(direction) }
}
