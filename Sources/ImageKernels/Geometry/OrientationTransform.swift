internal import ImageCore

/// An orientation as a transform of the stored axes: mirrors either or both, then exchanges them if needed.
struct OrientationTransform: Hashable, Sendable {
    var swaps: Bool
    /// Whether the stored columns are reversed.
    var mirrorsX: Bool
    /// Whether the stored rows are reversed.
    var mirrorsY: Bool

    init(swaps: Bool, mirrorsX: Bool, mirrorsY: Bool) {
        (self.swaps, self.mirrorsX, self.mirrorsY) = (swaps, mirrorsX, mirrorsY)
    }

    init(_ orientation: Orientation) {
        swaps = orientation.swapsSides
        mirrorsX = [.upMirrored, .down, .rightMirrored, .left].contains(orientation)
        mirrorsY = [.down, .downMirrored, .right, .rightMirrored].contains(orientation)
    }

    var orientation: Orientation {
        switch (swaps, mirrorsX, mirrorsY) {
        case (false, false, false): .up
        case (false, true, false): .upMirrored
        case (false, true, true): .down
        case (false, false, true): .downMirrored
        case (true, false, false): .leftMirrored
        case (true, false, true): .right
        case (true, true, true): .rightMirrored
        case (true, true, false): .left
        }
    }

    /// Returns the transform that does this one and then `next`.
    func followed(by next: OrientationTransform) -> OrientationTransform {
        OrientationTransform(
            swaps: swaps != next.swaps, mirrorsX: mirrorsX != (swaps ? next.mirrorsY : next.mirrorsX),
            mirrorsY: mirrorsY != (swaps ? next.mirrorsX : next.mirrorsY))
    }

    /// Returns the rectangle in the stored image of `size` that corresponds to a rectangle of the turned image.
    func stored(_ turned: PixelRectangle, in size: PixelSize) -> PixelRectangle {
        let (x, y, width, height) =
            swaps
            ? (turned.y, turned.x, turned.height, turned.width) : (turned.x, turned.y, turned.width, turned.height)
        return PixelRectangle(
            x: mirrorsX ? size.width - x - width : x, y: mirrorsY ? size.height - y - height : y, width: width, height: height)
    }
}
