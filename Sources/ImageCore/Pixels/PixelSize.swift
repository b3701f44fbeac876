/// A size in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Creates a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Creates a square size.
    ///
    /// - Parameter side: the width and the height in pixels.
    public init(_ side: Int) { self.init(width: side, height: side) }

    /// Creates the size, in pixels, of an area whose size is known in points, such as that of a view.
    ///
    /// ```swift
    /// let avatar = PixelSize(width: 60, height: 40, scale: 3)  // 180x120
    /// ```
    ///
    /// - Parameters:
    ///   - width: the width in points. The width in pixels is rounded to the nearest number. What no `Int` can hold
    ///     becomes the largest number or, if it is negative or no number, 0.
    ///   - height: the height in points, rounded likewise.
    ///   - scale: the pixels per point, such as 2 or 3 on a screen of high density.
    public init(width: Double, height: Double, scale: Double) {
        self.init(width: PixelSize.pixels(width * scale), height: PixelSize.pixels(height * scale))
    }

    /// Creates the size, in pixels, of a square whose side is known in points.
    ///
    /// - Parameters:
    ///   - side: the width and the height in points, rounded as by ``init(width:height:scale:)``.
    ///   - scale: the pixels per point.
    public init(_ side: Double, scale: Double) { self.init(width: side, height: side, scale: scale) }

    private static func pixels(_ side: Double) -> Int {
        let rounded = side.rounded()
        return rounded > 0 ? Int(exactly: rounded) ?? .max : 0
    }

    /// The number of pixels; `nil` if it exceeds an `Int` or a side is negative.
    public var pixelCount: Int? {
        guard width >= 0, height >= 0 else { return nil }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? nil : count
    }

    /// The size with width and height exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Width and height, such as `64x48`.
    public var description: String { "\(width)x\(height)" }
}
