internal import ImageCore

/// A rectangle of whole pixels.
struct PixelRectangle: Hashable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    init(x: Int, y: Int, width: Int, height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }

    /// All of an image of that size.
    init(_ size: PixelSize) { self.init(x: 0, y: 0, width: size.width, height: size.height) }

    var size: PixelSize { PixelSize(width: width, height: height) }
}
