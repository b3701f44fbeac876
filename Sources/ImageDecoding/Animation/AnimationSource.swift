package import ImageCore

/// The frames of a file as they are stored.
package protocol AnimationSource: AnyObject {
    var format: ImageFormat { get }
    var canvas: PixelSize { get }
    var orientation: Orientation { get }
    var frames: [AnimationFrame] { get }
    /// How often the animation is shown; 0 for ever.
    var loopCount: Int { get }

    /// Returns the pixels of a frame in its own size: straight or opaque RGBA, or grey.
    ///
    /// - Parameter options: how to decode: in full size, straight, as stored, and partial frames too.
    /// - Returns: the pixels, and the error that made some of them missing, if any are.
    func decodePixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?)
}
