/// Which frame of an animation is shown, and which one follows.
package struct AnimationTimeline: Hashable, Sendable {
    package let frameCount: Int
    /// How often the animation is shown; 0 for ever.
    package let loopCount: Int
    package private(set) var frame = 0
    /// How often the animation was shown from beginning to end.
    package private(set) var finishedLoops = 0

    package init(frameCount: Int, loopCount: Int) { (self.frameCount, self.loopCount) = (frameCount, loopCount) }

    /// The timeline at the next frame; `nil` after the last frame of the last loop.
    package var next: AnimationTimeline? {
        var next = self
        next.frame += 1
        if next.frame < frameCount { return next }
        (next.frame, next.finishedLoops) = (0, finishedLoops + 1)
        return frameCount > 1 && (loopCount == 0 || next.finishedLoops < loopCount) ? next : nil
    }
}

extension AnimationTimeline {
    /// Shows the following frames at their times, until the last one. Each is made while the one before is shown.
    ///
    /// - Parameters:
    ///   - limit: the time after which no frame is shown; `nil`, the default, for none.
    ///   - show: receives the timeline at a frame and its image. Returns whether to continue.
    /// - Throws: what making a frame throws; `CancellationError`.
    package func play(
        _ frames: any AnimationFrames, clock: AnyClock, atMost limit: Duration? = nil,
        show: (AnimationTimeline, DecodedImage) async -> Bool
    ) async throws {
        var timeline = self
        let start = clock.now
        var due = start + frames.durations[frame]
        while let next = timeline.next, limit.map({ due - start < $0 }) ?? true {
            let image = try await frames.frame(at: next.frame)
            try await clock.sleep(for: due - clock.now)
            guard await show(next, image) else { return }
            timeline = next
            // After a frame that took too long, the following ones do not hurry.
            due = max(due + frames.durations[next.frame], clock.now)
        }
    }
}
