/// An animation whose frames are made when they are requested.
///
/// Called synchronously, on any thread, by one thread at a time. A frame may take as long as a decode; requesting
/// frames in order takes the least time. A frame that throws does not affect the others.
///
/// ```swift
/// func show(_ animation: any ImageAnimation, draw: (DecodedImage, Duration) -> Void) throws {
///     for (index, duration) in animation.durations.enumerated() { draw(try animation.frame(at: index), duration) }
/// }
/// ```
public protocol ImageAnimation: AnyObject {
    /// How long each frame is shown, as stored in the file. Has at least one element.
    var durations: [Duration] { get }

    /// How often the animation is shown; 0 for ever, 1 for a still image.
    var loopCount: Int { get }

    /// Returns a frame.
    ///
    /// - Parameter index: the number of the frame, from 0.
    /// - Throws: ``ImageError`` (`invalidRequest`) if there is no such frame; what making the frame throws;
    ///   `CancellationError`.
    func frame(at index: Int) throws -> DecodedImage
}

extension ImageAnimation {
    /// The number of frames, at least 1.
    public var frameCount: Int { durations.count }
}
