public import ImageCore
public import ImageKernels

/// Draws a border inside the edges of an image, whose size does not change. With radii, the corners are rounded as by
/// ``RoundedCorners``, and the border follows them.
public struct Border: Processing, Hashable {
    /// The width of the border; in the image, it is rounded to whole pixels, at least 1.
    public let width: Double
    /// What ``width`` is measured in.
    public let unit: LengthUnit
    /// The colour of the border.
    public let color: PixelColor
    /// The radii of the outer edge. Those of the inner edge are smaller by the width.
    public let radii: CornerRadii

    /// Creates the processor.
    ///
    /// - Parameters:
    ///   - width: the width of the border: from 1 to 1,000,000 pixels, or from 0 to 1 of the shorter side.
    ///   - unit: what the width is measured in; pixels by default.
    ///   - color: the colour of the border.
    ///   - radii: the radii of the corners; by default they are not rounded.
    public init(width: Double, unit: LengthUnit = .pixels, color: PixelColor, radii: CornerRadii = CornerRadii()) {
        (self.width, self.unit, self.color, self.radii) = (width, unit, color, radii)
    }

    public var identifier: String {
        let radii = radii.all.allSatisfy { $0 == 0 } ? "" : ",\(radii.text)"
        return "calotype.border(\(unit.text(width)),\(color.hex)\(radii))"
    }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a width that is out of range, and for a radius that is
    ///   negative or not finite.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try require("border", "width", width, in: unit == .pixels ? 1...1_000_000 : 0...1)
        let width = max(1, Int(unit.pixels(width, of: image.size).rounded()))
        guard radii.all.allSatisfy({ $0 == 0 }) else {
            return image.with(
                try image.bitmap.bordered(
                    radii, width: width, color: color, threads: context.threads, cancellation: context.cancellation))
        }
        let size = image.size
        let across = min(width, size.width)
        // A border wider than half the image covers all of it, each pixel once.
        let isWhole = 2 * width >= min(size.width, size.height)
        let line = try Bitmap.filled(PixelSize(width: size.width, height: 1), with: color, like: image.bitmap)
        return image.with(
            try image.bitmap.overlaid(with: line, opacity: 1, threads: context.threads, cancellation: context.cancellation) {
                row, lay in
                if isWhole || row < width || row >= size.height - width {
                    lay(0, 0, size.width)
                } else {
                    lay(0, 0, across)
                    lay(size.width - across, 0, across)
                }
            })
    }
}

extension Processing where Self == Border {
    /// Draws a border inside the edges, by default `width` pixels wide and with square corners.
    ///
    /// ```swift
    /// let circle = CornerRadii(0.5, unit: .shorterSide)
    /// let avatar: [any Processing] = [.circle, .border(width: 4, color: .white, radii: circle)]
    /// ```
    public static func border(
        width: Double, unit: LengthUnit = .pixels, color: PixelColor, radii: CornerRadii = CornerRadii()
    ) -> Self { Self(width: width, unit: unit, color: color, radii: radii) }
}
