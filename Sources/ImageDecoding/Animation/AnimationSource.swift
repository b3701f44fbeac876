package import ImageCore

/// The frames of one file, each as the file stores it.
package protocol AnimationSource: AnyObject {
    var format: ImageFormat { get }
    var canvas: PixelSize { get }
    var orientation: Orientation { get }
    var frames: [AnimationFrame] { get }
    /// How often it is shown; 0 for ever, `nil` where the file does not say.
    var loopCount: Int? { get }

    /// The pixels of a frame: RGBA, straight or opaque, or grey; of the frame's size.
    ///
    /// - Returns: and what is missing of them, if anything.
    func pixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?)
}
