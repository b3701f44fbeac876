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
