/// Where an animation is: which frame is shown, and how many loops are finished.
package struct AnimationPosition: Hashable, Sendable {
    package let frameCount: Int
    /// The number of the frame that is shown, from 0.
    package private(set) var frame = 0
    /// How often the animation was shown from its first to its last frame.
    package private(set) var finishedLoops = 0
    /// Whether the time of the last frame is over, so that the first one is due.
    package private(set) var isLoopOver = false

    package init(frameCount: Int) { self.frameCount = frameCount }

    package var isLastFrame: Bool { frame == frameCount - 1 }

    package var nextFrame: Int { isLastFrame ? 0 : frame + 1 }

    /// The time of the last frame is over.
    package mutating func finishLoop() { (finishedLoops, isLoopOver) = (finishedLoops + 1, true) }

    /// The next frame is shown.
    package mutating func advance() { (frame, isLoopOver) = (nextFrame, false) }
}
