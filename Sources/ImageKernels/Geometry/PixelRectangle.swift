package import ImageCore

/// A rectangle of whole pixels.
package struct PixelRectangle: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// All of an image of that size.
    package init(_ size: PixelSize) { self.init(x: 0, y: 0, width: size.width, height: size.height) }

    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// - Throws: ``ImageError`` (`invalidRequest`) if the rectangle is empty or not inside an image of that size.
    package func check(inside size: PixelSize) throws(ImageError) {
        guard x >= 0, y >= 0, width > 0, height > 0, x <= size.width, y <= size.height, width <= size.width - x,
            height <= size.height - y
        else {
            throw ImageError(
                .invalidRequest,
                message: "The rectangle (\(x), \(y), \(width), \(height)) is not inside the image of \(size) pixels.")
        }
    }
}
