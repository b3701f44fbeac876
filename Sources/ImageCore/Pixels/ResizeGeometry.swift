/// The geometry of a resize: the part of the source to use, and the size of the result.
public struct ResizeGeometry: Hashable, Sendable {
    /// The part of the source to use, in source pixels. ``ImageContentMode/fill`` may lead to fractions.
    public var x: Double, y: Double, width: Double, height: Double
    /// The size of the result in pixels.
    public var output: PixelSize

    /// Computes the geometry of a resize.
    ///
    /// - Parameters:
    ///   - source: the size of the image; both sides at least 1.
    ///   - box: the box to fill; both sides at least 1.
    ///   - mode: how the image fills the box.
    ///   - upscales: whether the result may be larger than the source; `false`. Then `fit` never enlarges, `fill` keeps
    ///     the aspect ratio of the box at the largest size that needs no enlarging, and `exact` clamps each side.
    public init(source: PixelSize, box: PixelSize, mode: ImageContentMode, upscales: Bool = false) {
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

    /// Whether the result equals the source, pixel for pixel.
    public func isIdentity(for source: PixelSize) -> Bool {
        output == source && x == 0 && y == 0 && width == Double(source.width) && height == Double(source.height)
    }
}
