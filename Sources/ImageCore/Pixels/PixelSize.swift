/// A size in pixels, width first.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width × height, or `nil` where that does not fit an `Int` or a side is negative.
    public var pixelCount: Int? {
        guard width >= 0, height >= 0 else { return nil }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? nil : count
    }

    /// The same picture turned by a quarter: width and height change places.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    public var description: String { "\(width)x\(height)" }
}

/// How a picture fills a box of another shape.
public enum ContentMode: String, Hashable, Sendable, CaseIterable {
    /// The whole picture, as large as fits inside the box. Keeps the aspect ratio.
    case fit
    /// The box is covered; what hangs over is cropped evenly. Keeps the aspect ratio.
    case fill
    /// Exactly the box; the picture is stretched.
    case exact
}

/// What a resize does to one picture: which part is taken, and how large that part becomes.
public struct ResizeGeometry: Hashable, Sendable {
    /// The part of the source that is used, in source pixels; fractions occur in ``ContentMode/fill``.
    public var x: Double, y: Double, width: Double, height: Double
    /// The size of the result.
    public var output: PixelSize

    /// - Parameters:
    ///   - source: the picture's size; both sides at least 1.
    ///   - box: the wanted box; both sides at least 1.
    ///   - upscales: whether the result may be larger than the source. Without it, `fit` never enlarges, `fill` keeps
    ///     the box's aspect ratio at the largest size that needs no enlarging, and `exact` clamps each side.
    public init(source: PixelSize, box: PixelSize, mode: ContentMode, upscales: Bool = false) {
        let sw = Double(source.width), sh = Double(source.height)
        let bw = Double(box.width), bh = Double(box.height)
        func rounded(_ value: Double, atMost limit: Int) -> Int { max(1, min(limit, Int(value.rounded()))) }
        (x, y, width, height) = (0, 0, sw, sh)
        switch mode {
        case .fit:
            let scale = min(bw / sw, bh / sh)
            if scale >= 1, !upscales {
                output = source
            } else {
                output = PixelSize(
                    width: rounded(sw * scale, atMost: box.width), height: rounded(sh * scale, atMost: box.height))
            }
        case .fill:
            let scale = max(bw / sw, bh / sh)
            (width, height) = (min(sw, bw / scale), min(sh, bh / scale))
            (x, y) = ((sw - width) / 2, (sh - height) / 2)
            if scale > 1, !upscales {
                output = PixelSize(
                    width: rounded(width, atMost: source.width), height: rounded(height, atMost: source.height))
            } else {
                output = box
            }
        case .exact:
            output =
                upscales ? box : PixelSize(width: min(box.width, source.width), height: min(box.height, source.height))
        }
    }

    /// Whether the result is the source, pixel for pixel.
    public func isIdentity(for source: PixelSize) -> Bool {
        output == source && x == 0 && y == 0 && width == Double(source.width) && height == Double(source.height)
    }
}
