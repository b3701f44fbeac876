/// The animation of a loaded image, shared by all views that show it.
///
/// All views that play show the same frame at the same time, so that each frame is decoded once. While no view plays,
/// no frame is decoded, no timer runs and no decoded frame is kept.
///
/// An ``ImageTarget`` plays the animation by itself. To play it elsewhere:
///
/// ```swift
/// func play(_ image: DecodedImage, show: @escaping @Sendable (DecodedImage) -> Void) -> AnimationPlayer? {
///     image.animation?.play(show)  // plays as long as the player exists
/// }
/// ```
public final class AnimatedImage: Sendable, Equatable {
    public static func == (a: AnimatedImage, b: AnimatedImage) -> Bool { a === b }

    /// The frames.
    package let frames: any AnimationFrames
    let clock: AnyClock
    let playback: Lock<Playback>

    /// Creates an animation.
    ///
    /// - Parameters:
    ///   - frames: the frames.
    ///   - clock: measures the time of each frame; tests replace it.
    public init(_ frames: any AnimationFrames, clock: any Clock<Duration> = ContinuousClock()) {
        (self.frames, self.clock) = (frames, AnyClock(clock))
        playback = Lock(Playback(frameCount: frames.durations.count))
    }

    /// The number of frames, at least 1.
    public var frameCount: Int { frames.durations.count }

    /// How long each frame is shown. As in browsers, a frame of at most 10 ms is shown for 100 ms.
    public var durations: [Duration] { frames.durations }

    /// How often the animation is shown in all; 0 for ever. The same in every format: a GIF that repeats 2 times after
    /// its first loop, and a WebP of 3 loops, are both shown 3 times.
    public var loopCount: Int { frames.loopCount }

    /// Returns a frame, decoded and processed like the image.
    ///
    /// - Parameter index: the number of the frame, from 0.
    /// - Throws: ``ImageError`` if there is no such frame or it is damaged; `CancellationError`.
    public func frame(at index: Int) async throws -> DecodedImage { try await frames.frame(at: index) }

    /// Plays the animation from the frame that other views show now, or otherwise from the first one.
    ///
    /// The closures are called on no actor, one call at a time; they should return soon.
    ///
    /// - Parameters:
    ///   - plays: how often to show the animation; 0 for ever. `nil`, the default, shows it as often as the file says,
    ///     counted together with the other views that do so.
    ///   - onLoop: called when the last frame has been shown for its time; `nil` by default.
    ///   - onFrame: called with each frame at its time, after the first frame, which the image itself shows.
    /// - Returns: the player, which stops when it is released.
    public func play(
        plays: Int? = nil, onLoop: (@Sendable (AnimationPlaybackState) -> Void)? = nil,
        _ onFrame: @escaping @Sendable (DecodedImage) -> Void
    ) -> AnimationPlayer {
        play(isPaused: false, plays: plays, onLoop: onLoop, onFrame)
    }

    /// Plays the animation, or waits for ``AnimationPlayer/setPaused(_:)``.
    package func play(
        isPaused: Bool, plays: Int? = nil, onLoop: (@Sendable (AnimationPlaybackState) -> Void)? = nil,
        _ onFrame: @escaping @Sendable (DecodedImage) -> Void
    ) -> AnimationPlayer {
        let listener = Playback.Listener(onFrame: onFrame, onLoop: onLoop, plays: plays ?? loopCount, isPaused: isPaused)
        let (id, current) = playback.withLock { playback in
            let id = playback.add(listener, sharesCount: plays == nil)
            return (id, isPaused ? nil : playback.current)
        }
        if let current { onFrame(current) }
        startOrStop()
        return AnimationPlayer(self, id)
    }

    /// Changes what a view plays, and shows it the frame that it then plays from.
    fileprivate func change(_ id: UInt64, _ change: (inout Playback.Listener) -> Void) {
        let (listener, current) = playback.withLock { playback in
            playback.hasFailed = false
            guard var listener = playback.listeners[id] else { return (Playback.Listener?.none, DecodedImage?.none) }
            let wasActive = listener.isActive
            change(&listener)
            let shows = listener.isActive && !wasActive
            if shows { listener.frame = playback.position.frame }
            playback.listeners[id] = listener
            return (listener, shows ? playback.current : nil)
        }
        if let current { listener?.onFrame(current) }
        startOrStop()
    }

    fileprivate func state(_ id: UInt64) -> AnimationPlaybackState {
        playback.withLock { playback in playback.listeners[id].map(playback.state) ?? AnimationPlaybackState() }
    }

    fileprivate func remove(_ id: UInt64) {
        playback.withLock { playback in
            playback.listeners[id] = nil
            // The next view begins with the first frame.
            if playback.listeners.isEmpty { playback.rewind() }
        }
        startOrStop()
    }
}

/// Plays an ``AnimatedImage`` in one view, until it is stopped or released.
public final class AnimationPlayer: Sendable {
    private let animation: AnimatedImage
    private let id: UInt64

    fileprivate init(_ animation: AnimatedImage, _ id: UInt64) { (self.animation, self.id) = (animation, id) }

    deinit { animation.remove(id) }

    /// Which frame the view shows, and how far it has played.
    public var state: AnimationPlaybackState { animation.state(id) }

    /// Pauses or resumes, for example while the view is off screen. The animation stands still while all its players
    /// are paused.
    public func setPaused(_ isPaused: Bool) { animation.change(id) { $0.isPaused = isPaused } }

    /// Plays an animation that is over once more, with a new count.
    public func playAgain() { animation.change(id) { if $0.isOver { $0.finishedLoops = 0 } } }

    /// Changes how often the animation is shown, counting the finished loops.
    ///
    /// - Parameter plays: how often in all; 0 for ever, `nil` as often as the file says.
    public func setPlays(_ plays: Int?) { animation.change(id) { [animation] in $0.plays = plays ?? animation.loopCount } }

    /// Stops for good.
    public func stop() { animation.remove(id) }
}
