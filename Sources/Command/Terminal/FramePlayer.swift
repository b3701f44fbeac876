internal import ImageCore

/// Plays an animation frame by frame, in a terminal.
struct FramePlayer {
    /// The longest time to play, however often the animation is repeated.
    let limit: Duration

    /// Calls `show` with each frame after the first one at its time, and returns after the last one or when the time is
    /// over.
    ///
    /// - Parameter clock: measures the time of each frame; tests replace it.
    /// - Throws: `ImageError` if a frame is damaged.
    func play(
        _ animation: AnimatedImage, clock: some Clock<Duration> = ContinuousClock(), show: (DecodedImage) async -> Void
    ) async throws {
        animation.frames.playbackBegan()
        defer { animation.frames.playbackEnded() }
        let timeline = AnimationTimeline(frameCount: animation.frameCount, loopCount: animation.loopCount)
        try await timeline.play(animation.frames, clock: AnyClock(clock), atMost: limit) { _, image in
            await show(image)
            return true
        }
    }
}
