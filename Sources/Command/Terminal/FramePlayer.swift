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
        guard animation.frameCount > 1 else { return }
        animation.frames.playbackBegan()
        defer { animation.frames.playbackEnded() }
        var position = AnimationPosition(frameCount: animation.frameCount)
        let clock = AnyClock(clock)
        let start = clock.now
        var due = start + animation.durations[0]
        while due - start < limit {
            if position.isLastFrame {
                position.finishLoop()
                if animation.loopCount > 0, position.finishedLoops >= animation.loopCount { return }
            }
            let image = try await animation.frame(at: position.nextFrame)
            try await clock.sleep(for: due - clock.now)
            await show(image)
            position.advance()
            // After a frame that took too long, the following ones do not hurry.
            due = max(due + animation.durations[position.frame], clock.now)
        }
    }
}
