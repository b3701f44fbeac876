package import ImageCore

/// A frame of a GIF, APNG or WebP animation: its position, its duration, and how it is drawn.
package struct AnimationFrame {
    /// What happens to the area of the frame before the next frame is drawn.
    package enum Disposal {
        /// The area stays as it is.
        case keep
        /// The area becomes transparent.
        case clear
        /// The area becomes what it was before the frame.
        case restore
    }

    /// The position on the canvas, in pixels.
    package var x: Int, y: Int
    package var size: PixelSize
    /// How long the frame is shown.
    package var duration: Duration
    package var disposal: Disposal
    /// Whether the frame is blended with the canvas. Otherwise it replaces the area, including its transparency.
    package var blends: Bool
    package var hasAlpha: Bool

    package init(
        x: Int, y: Int, size: PixelSize, duration: Duration, disposal: Disposal = .keep, blends: Bool, hasAlpha: Bool
    ) {
        (self.x, self.y, self.size, self.duration) = (x, y, size, duration)
        (self.disposal, self.blends, self.hasAlpha) = (disposal, blends, hasAlpha)
    }

    /// Whether the frame covers the whole canvas.
    package func covers(_ canvas: PixelSize) -> Bool {
        x <= 0 && y <= 0 && x + size.width >= canvas.width && y + size.height >= canvas.height
    }
}
