public import ImageCore
public import ImageKernels

/// Puts an image on a larger canvas.
public struct Pad: Processing, Hashable {
    /// In pixels; where the image is larger than this, the canvas grows with it.
    public let size: PixelSize
    public let color: PixelColor
    public let gravity: Gravity

    public init(to size: PixelSize, color: PixelColor, gravity: Gravity) {
        (self.size, self.color, self.gravity) = (size, color, gravity)
    }

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

/// Draws a border inside the edges of an image; its size stays.
public struct Border: Processing, Hashable {
    /// Pixels; at least 1.
    public let width: Int
    public let color: PixelColor

    public init(width: Int, color: PixelColor) { (self.width, self.color) = (width, color) }

    public var identifier: String { "calotype.border(\(width),\(color.hex))" }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a width that is not from 1 to 1,000,000.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try require("border", side: "width", width)
        let size = image.size
        let across = min(width, size.width)
        // A border wider than half the image covers it whole, each pixel once.
        let isWhole = 2 * width >= min(size.width, size.height)
        let line = try Bitmap.filled(PixelSize(width: size.width, height: 1), with: color, like: image.bitmap)
        return image.with(
            try image.bitmap.overlaid(with: line, opacity: 1, threads: context.threads, cancellation: context.cancellation) {
                row, lay in
                if isWhole || row < width || row >= size.height - width {
                    lay(0, 0, 0..<size.width)
                } else {
                    lay(0, 0, 0..<across)
                    lay(size.width - across, 0, 0..<across)
                }
            })
    }
}

extension Processing where Self == Pad {
    /// Puts the image on a canvas of at least `size`.
    public static func pad(to size: PixelSize, color: PixelColor = .clear, gravity: Gravity = .center) -> Self {
        Self(to: size, color: color, gravity: gravity)
    }
}

extension Processing where Self == Border {
    /// Draws a border of `width` pixels inside the edges.
    public static func border(width: Int, color: PixelColor) -> Self { Self(width: width, color: color) }
}
