public import ImageCore

/// Control of the animation that the view shows. Without one, these methods do nothing.
extension ImageTarget {
    /// Which frame of its animation the view shows, and how far it has played; `nil` if it shows no animation.
    public var animationState: AnimationPlaybackState? { runner.animationState }

    /// Plays the animation from the frame that the view shows, or once more if it is over.
    ///
    /// It begins when the view is on screen. Where the user prefers reduced motion, the first frame stays.
    public func startAnimation() { runner.setAnimationStopped(false) }

    /// Stops the animation at the frame that the view shows, until ``startAnimation()``. The next animation that the
    /// view shows plays, unless ``LoadOptions/autoplays`` is `false`.
    public func stopAnimation() { runner.setAnimationStopped(true) }
}
