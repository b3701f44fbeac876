/// The frames of an animation, each made when it is asked for.
///
/// Called synchronously, on any thread but by one at a time; a frame may take as long as a decode. Frames asked for in order
/// cost least. A frame that fails throws and leaves the others as they are.
///
/// ```swift
/// func show(_ animation: any ImageAnimation, draw: (DecodedImage, _ seconds: Double) -> Void) throws {
///     for (index, seconds) in animation.durations.enumerated() { draw(try animation.frame(at: index), seconds) }
/// }
/// ```
public protocol ImageAnimation: AnyObject {
    /// How long each frame shows, in seconds; as many as there are frames, at least one.
    var durations: [Double] { get }

    /// How often the animation is shown; 0 for ever, `nil` where the file does not say.
    var loopCount: Int? { get }

    /// A frame, from 0.
    ///
    /// - Throws: ``ImageError`` (`invalidRequest`) where it is not there, or what making it throws; `CancellationError`.
    func frame(at index: Int) throws -> DecodedImage
}

extension ImageAnimation {
    /// How many frames there are, at least 1.
    public var frameCount: Int { durations.count }
}
