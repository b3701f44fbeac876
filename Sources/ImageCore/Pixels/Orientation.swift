/// The transform that makes stored pixels upright: the EXIF orientation (Exif 2.32, tag 0x0112).
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// No transform.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Rotated by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the main diagonal (transposed).
    case leftMirrored = 5
    /// Rotated by 90° clockwise.
    case right = 6
    /// Mirrored along the other diagonal (transversed).
    case rightMirrored = 7
    /// Rotated by 90° counter-clockwise.
    case left = 8

    /// Whether the transform exchanges width and height.
    public var swapsSides: Bool { rawValue >= 5 }

    /// Returns the upright size of an image that is stored with `size`.
    public func applied(to size: PixelSize) -> PixelSize { swapsSides ? size.transposed : size }
}
