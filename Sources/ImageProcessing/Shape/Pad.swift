public import ImageCore
public import ImageKernels

/// Puts an image on a larger canvas.
public struct Pad: Processing, Hashable {
    /// The size of the canvas in pixels. A larger image makes the canvas larger.
    public let size: PixelSize
    /// The colour of the canvas.
    public let color: PixelColor
    /// The position of the image on the canvas.
    public let gravity: Gravity

    /// Creates the processor.
    public init(to size: PixelSize, color: PixelColor, gravity: Gravity) {
        (self.size, self.color, self.gravity) = (size, color, gravity)
    }

    public var needsWholeImage: Bool { true }

    public var identifier: String { "calotype.pad(\(size),\(color.hex),\(gravity.rawValue))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a side that is not from 1 to 1,000,000.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try require("pad", side: "width", size.width)
        try require("pad", side: "height", size.height)
        let canvas = PixelSize(width: max(size.width, image.size.width), height: max(size.height, image.size.height))
        if canvas == image.size { return image }
        try context.check(canvas, after: identifier)
        let place = gravity.place(image.size, in: canvas)
        let background = try Bitmap.filled(canvas, with: color, like: image.bitmap)
        return image.with(
            try background.overlaid(
                with: image.bitmap, x: place.x, y: place.y, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Pad {
    /// Puts the image on a canvas of at least `size`.
    public static func pad(to size: PixelSize, color: PixelColor = .clear, gravity: Gravity = .center) -> Self {
        Self(to: size, color: color, gravity: gravity)
    }
}
