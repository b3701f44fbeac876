/// The frames of a loaded animation, which are made when they are needed.
///
/// The loader makes one for every animated image. Conform to it to give views an animation of another kind. Called from
/// any task.
///
/// **Cancelling**: ``frame(at:)`` throws `CancellationError` if its task is cancelled.
///
/// **Errors**: a frame that cannot be made ends the playback; views keep the frame before it.
public protocol AnimationFrames: Sendable {
    /// How long each frame is shown. Has at least one element.
    var durations: [Duration] { get }
    /// How often the animation is shown; 0 for ever.
    var loopCount: Int { get }
    /// The memory that the animation takes while no view plays it, in bytes. A memory cache counts it.
    var byteCount: Int { get }
    /// Returns a frame.
    ///
    /// - Parameter index: the number of the frame, from 0.
    func frame(at index: Int) async throws -> DecodedImage
    /// The first view begins to play the animation. Does nothing by default.
    func playbackBegan()
    /// No view plays the animation any more: its memory can be released. Does nothing by default.
    func playbackEnded()
}

extension AnimationFrames {
    /// Does nothing.
    public func playbackBegan() {}
    /// Does nothing.
    public func playbackEnded() {}
}
