internal import ImageCore

/// Plays an animation frame by frame, for a terminal that does not play it by itself.
struct FramePlayer {
    /// The longest time to play, however often the animation is repeated.
    let limit: Duration
    /// Measures the time of each frame; tests replace it.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Calls `show` with each frame after the first one at its time, and returns after the last one or when the time is over.
    ///
    /// - Throws: `ImageError` if a frame is damaged.
    func play(_ animation: AnimatedImage, show: (DecodedImage) async -> Void) async throws {
        try await play(animation, clock, show)
    }

    private func play(_ animation: AnimatedImage, _ clock: some Clock<Duration>, _ show: (DecodedImage) async -> Void)
        async throws
    {
        animation.frames.playbackBegan()
        defer { animation.frames.playbackEnded() }
        let timeline = AnimationTimeline(frameCount: animation.frameCount, loopCount: animation.loopCount)
        try await timeline.play(animation.frames, clock: clock, atMost: limit) { _, image in
            await show(image)
            return true
        }
    }
}
