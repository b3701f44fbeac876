/// The animation of a loaded image, shared by all views that show it.
///
/// All views show the same frame at the same time, so that each frame is decoded once. While no view plays, no frame is
/// decoded, no timer runs and no decoded frame is kept.
///
/// An ``ImageTarget`` plays the animation by itself. To play it elsewhere:
///
/// ```swift
/// func play(_ image: DecodedImage, show: @escaping @Sendable (DecodedImage) -> Void) -> AnimationPlayer? {
///     image.animation?.play(show)  // plays as long as the player exists
/// }
/// ```
public final class AnimatedImage: Sendable, Equatable {
    struct Playback {
        struct Listener {
            var isPaused = false
            let onFrame: @Sendable (DecodedImage) -> Void
        }

        var timeline: AnimationTimeline
        /// The frame that all views show; `nil` for the image from which they began.
        var current: DecodedImage?
        var listeners: [UInt64: Listener] = [:]
        var nextID: UInt64 = 0
        /// The task that plays, or did so last.
        var task: Task<Void, Never>?
        var isRunning = false
        /// Counts the tasks, so that a cancelled one that still decodes shows nothing.
        var run = 0

        var isPlaying: Bool { listeners.values.contains { !$0.isPaused } }
    }

    public static func == (a: AnimatedImage, b: AnimatedImage) -> Bool { a === b }

    /// The frames.
    package let frames: any AnimationFrames
    private let clock: AnyClock
    let playback: Lock<Playback>

    /// Creates an animation.
    ///
    /// - Parameters:
    ///   - frames: the frames.
    ///   - clock: measures the time of each frame; tests replace it.
    public init(_ frames: any AnimationFrames, clock: any Clock<Duration> = ContinuousClock()) {
        (self.frames, self.clock) = (frames, AnyClock(clock))
        playback = Lock(
            Playback(timeline: AnimationTimeline(frameCount: frames.durations.count, loopCount: frames.loopCount)))
    }

    /// The number of frames, at least 1.
    public var frameCount: Int { frames.durations.count }

    /// How long each frame is shown. As in browsers, a frame of at most 10 ms is shown for 100 ms.
    public var durations: [Duration] { frames.durations }

    /// How often the animation is shown; 0 for ever.
    public var loopCount: Int { frames.loopCount }

    /// Returns a frame, decoded and processed like the image.
    ///
    /// - Parameter index: the number of the frame, from 0.
    /// - Throws: ``ImageError`` if there is no such frame or it is damaged; `CancellationError`.
    public func frame(at index: Int) async throws -> DecodedImage { try await frames.frame(at: index) }

    /// Plays the animation from the frame that other views show now, or otherwise from the first one.
    ///
    /// - Parameter onFrame: called with each frame at its time, after the first frame, which the image itself shows.
    ///   Called on no actor, one call at a time; it should return soon.
    /// - Returns: the player, which stops when it is released.
    public func play(_ onFrame: @escaping @Sendable (DecodedImage) -> Void) -> AnimationPlayer {
        play(isPaused: false, onFrame)
    }

    /// Plays the animation, or waits for ``AnimationPlayer/setPaused(_:)``.
    package func play(
        isPaused: Bool, _ onFrame: @escaping @Sendable (DecodedImage) -> Void
    ) -> AnimationPlayer {
        let (id, current) = playback.withLock { playback in
            playback.nextID += 1
            playback.listeners[playback.nextID] = Playback.Listener(isPaused: isPaused, onFrame: onFrame)
            return (playback.nextID, isPaused ? nil : playback.current)
        }
        if let current { onFrame(current) }
        startOrStop()
        return AnimationPlayer(self, id)
    }

    fileprivate func setPaused(_ isPaused: Bool, _ id: UInt64) {
        let (listener, current) = playback.withLock { playback in
            playback.listeners[id]?.isPaused = isPaused
            return (playback.listeners[id], playback.current)
        }
        if !isPaused, let current { listener?.onFrame(current) }
        startOrStop()
    }

    fileprivate func remove(_ id: UInt64) {
        playback.withLock { playback in
            playback.listeners[id] = nil
            guard playback.listeners.isEmpty else { return }
            // The next view begins with the first frame.
            playback.timeline = AnimationTimeline(frameCount: frameCount, loopCount: loopCount)
            playback.current = nil
        }
        startOrStop()
    }

    private func startOrStop() {
        let cancelled = playback.withLock { playback -> Task<Void, Never>? in
            guard playback.isPlaying != playback.isRunning else { return nil }
            playback.isRunning = playback.isPlaying
            playback.run += 1
            guard playback.isRunning else { return playback.task }
            playback.task = startTask(playback.run, after: playback.task)
            return nil
        }
        cancelled?.cancel()
    }

    /// - Parameter last: the task before, which was cancelled, so that beginnings and ends of the playback alternate.
    private func startTask(_ run: Int, after last: Task<Void, Never>?) -> Task<Void, Never> {
        Task {
            await last?.value
            guard !Task.isCancelled else { return }
            frames.playbackBegan()
            try? await play(run)
            frames.playbackEnded()
        }
    }

    private func play(_ run: Int) async throws {
        try await playback.withLock { $0.timeline }.play(frames, clock: clock) { next, image in
            let listeners = playback.withLock { playback -> [Playback.Listener]? in
                guard playback.run == run else { return nil }
                (playback.timeline, playback.current) = (next, image)
                return playback.listeners.values.filter { !$0.isPaused }
            }
            for listener in listeners ?? [] { listener.onFrame(image) }
            return listeners != nil
        }
    }
}

/// Plays an ``AnimatedImage`` in one view, until it is stopped or released.
public final class AnimationPlayer: Sendable {
    private let animation: AnimatedImage
    private let id: UInt64

    fileprivate init(_ animation: AnimatedImage, _ id: UInt64) { (self.animation, self.id) = (animation, id) }

    deinit { animation.remove(id) }

    /// Pauses or resumes, for example while the view is off screen. The animation stands still while all its players
    /// are paused.
    public func setPaused(_ isPaused: Bool) { animation.setPaused(isPaused, id) }

    /// Stops for good.
    public func stop() { animation.remove(id) }
}
