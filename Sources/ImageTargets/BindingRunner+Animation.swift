internal import ImageCore

/// Animations of the images that a view shows.
extension BindingRunner {
    /// The view shows an image with an animation, which plays until the view shows something else.
    func beginAnimation(_ animated: Animated, _ isolation: (any Actor)?) {
        let plays = state.withLock { state in
            guard state.binding.token.request == animated.request else { return false }
            (state.animated, state.isAnimationStopped) = (animated, !state.binding.options.autoplays)
            return !state.binding.calls.isMotionReduced
        }
        if plays { startPlaying(animated, isolation) }
    }

    /// Plays an animation until the view shows something else, also while a newer request keeps it.
    private func startPlaying(_ animated: Animated, _ isolation: (any Actor)?) {
        guard let animation = animated.image.animation else { return }
        let signal = makeSignal(isolation)
        let (id, wasPaused, plays) = state.withLock { state in
            state.lastAnimation += 1
            return (state.lastAnimation, state.isAnimationPaused, state.binding.options.animationPlays)
        }
        let append: @Sendable (ViewCall) -> Void = { [weak self] call in
            self?.state.withLock { state in
                if state.lastAnimation == id { state.binding.calls.appendResult(call) }
            }
            signal.yield()
        }
        let player = animation.play(isPaused: wasPaused, plays: plays, onLoop: { append(.animationLoopEnded($0)) }) {
            append(.setFrame($0, badge: animated.badge))
        }
        let playing = Playing(player: player, signal: signal)
        let isPaused = state.withLock { state -> Bool? in
            guard state.lastAnimation == id else { return nil }
            state.playing = playing
            return state.isAnimationPaused
        }
        guard let isPaused else { return playing.stop() }
        if isPaused != wasPaused { player.setPaused(isPaused) }
    }

    /// The app starts the animation, or stops it at the frame that the view shows.
    func setAnimationStopped(_ isStopped: Bool) {
        let (player, isPaused) = state.withLock { state in
            state.isAnimationStopped = isStopped
            return (state.playing?.player, state.isAnimationPaused)
        }
        player?.setPaused(isPaused)
        if !isStopped { player?.playAgain() }
    }

    /// A request for the image that the view shows has other options than before.
    func updateAnimation(from old: LoadOptions, to new: LoadOptions) {
        guard new.autoplays != old.autoplays || new.animationPlays != old.animationPlays else { return }
        let player = state.withLock { state in
            state.animated?.request == state.binding.token.request ? state.playing?.player : nil
        }
        if new.animationPlays != old.animationPlays { player?.setPlays(new.animationPlays) }
        if new.autoplays != old.autoplays { setAnimationStopped(!new.autoplays) }
    }

    /// How far the view has played its animation; `nil` if it shows none.
    var animationState: AnimationPlaybackState? {
        let (isAnimated, player) = state.withLock { ($0.animated != nil, $0.playing?.player) }
        return isAnimated ? player?.state ?? AnimationPlaybackState() : nil
    }

    /// Ends the animation of what the view shows.
    func endAnimation() {
        state.withLock { $0.animated = nil }
        stopPlaying()
    }

    private func stopPlaying() {
        let playing = state.withLock { state in
            state.lastAnimation += 1
            state.binding.calls.dropAnimation()
            return state.playing.take()
        }
        playing?.stop()
    }

    /// Stops the animation at its first frame or plays it, as the user prefers now.
    func updateMotion(isReduced: Bool, _ isolation: (any Actor)?) {
        let (animated, isPlaying, isOver) = state.withLock {
            ($0.animated, $0.playing != nil, $0.binding.calls.willChangeImage)
        }
        // A newer request may have come while the view answered.
        guard let animated, !isOver, isPlaying == isReduced else { return }
        guard isReduced else { return startPlaying(animated, isolation) }
        stopPlaying()
        // Before all pending calls, which belong to what comes next.
        state.withLock { $0.binding.calls.prepend(.setFrame(animated.image, badge: animated.badge)) }
    }

    /// The view came on screen or left it.
    func setVisible(_ isVisible: Bool, _ isolation: (any Actor)?) {
        let (action, token) = change { $0.binding.setVisible(isVisible) }
        let (player, isPaused) = state.withLock { ($0.playing?.player, $0.isAnimationPaused) }
        player?.setPaused(isPaused)
        execute(action, token, isolation)
    }
}
