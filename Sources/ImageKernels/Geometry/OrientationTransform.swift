package import ImageCore

/// An orientation as a transform of the stored axes: mirrors either or both, then exchanges them if needed.
package struct OrientationTransform {
    package let swaps: Bool
    /// Whether the stored columns are reversed.
    package let mirrorsX: Bool
    /// Whether the stored rows are reversed.
    package let mirrorsY: Bool

    package init(_ orientation: Orientation) {
        swaps = orientation.swapsSides
        mirrorsX = [.upMirrored, .down, .rightMirrored, .left].contains(orientation)
        mirrorsY = [.down, .downMirrored, .right, .rightMirrored].contains(orientation)
    }
}
