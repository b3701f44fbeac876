package import ImageCore

/// One frame of an animation as GIF, APNG and WebP describe it: where it lies, how long it shows and how it is drawn.
package struct AnimationFrame {
    /// What is done to the frame's place when its time is over.
    package enum Disposal {
        case keep
        /// It becomes transparent.
        case clear
        /// It becomes what it was before the frame.
        case restore
    }

    package var x: Int, y: Int
    package var size: PixelSize
    package var seconds: Double
    package var disposal: Disposal
    /// Whether the frame is laid over what is there; else it replaces it, transparency included.
    package var blends: Bool
    package var hasAlpha: Bool

    package init(
        x: Int, y: Int, size: PixelSize, seconds: Double, disposal: Disposal = .keep, blends: Bool, hasAlpha: Bool
    ) {
        (self.x, self.y, self.size, self.seconds) = (x, y, size, seconds)
        (self.disposal, self.blends, self.hasAlpha) = (disposal, blends, hasAlpha)
    }

    package func covers(_ canvas: PixelSize) -> Bool {
        x <= 0 && y <= 0 && x + size.width >= canvas.width && y + size.height >= canvas.height
    }
}
