/// How far a view has played an animation.
public struct AnimationPlaybackState: Hashable, Sendable {
    /// The number of the frame that the view shows, from 0.
    public var frame = 0
    /// How often the animation was shown from its first to its last frame. Views that play it as often as the file says
    /// have one count.
    public var finishedLoops = 0
    /// Whether the frames change: not while the animation is stopped, off screen or over, nor after a damaged frame.
    public var isPlaying = false
    /// Whether the animation was shown as often as it is to be. The last frame stays.
    public var isOver = false

    /// Makes the state of an animation that has not begun.
    public init() {}
}
