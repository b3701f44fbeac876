import ImageCore

/// One frame of an animation, and what becomes of its place afterwards. GIF, APNG and WebP say the same in three ways.
struct AnimationFrame {
    /// What is done to the frame's place when its time is over.
    enum Disposal {
        case keep
        /// It becomes transparent.
        case clear
        /// It becomes what it was before the frame.
        case restore
    }

    var x: Int, y: Int
    var size: PixelSize
    var seconds: Double
    var disposal = Disposal.keep
    /// Whether the frame is laid over what is there; else it replaces it, transparency included.
    var blends: Bool
    var hasAlpha: Bool

    func covers(_ canvas: PixelSize) -> Bool {
        x <= 0 && y <= 0 && x + size.width >= canvas.width && y + size.height >= canvas.height
    }
}

/// The frames of one file, each as the file stores it.
protocol AnimationSource: AnyObject {
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
