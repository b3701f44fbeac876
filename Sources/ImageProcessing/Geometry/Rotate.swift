public import ImageCore
public import ImageKernels

/// Rotates an image clockwise about its centre. The canvas grows to contain it.
public struct Rotate: Processing, Hashable {
    /// The angle in degrees, clockwise; any finite number. Multiples of 90 are exact.
    public let degrees: Double
    /// The colour of the corners that the image does not cover.
    public let background: PixelColor

    /// Creates the processor.
    public init(degrees: Double, background: PixelColor) { (self.degrees, self.background) = (degrees, background) }

    public var needsWholeImage: Bool { true }

    public var identifier: String { "calotype.rotate(\(degrees.text),\(background.hex))" }

    /// The orientation, if the angle is a multiple of 90; `nil` otherwise.
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

extension Processing where Self == Rotate {
    /// Rotates clockwise. Corners that the image does not cover have the colour `background`.
    public static func rotate(degrees: Double, background: PixelColor = .clear) -> Self {
        Self(degrees: degrees, background: background)
    }
}
