internal import ImageCore

/// Animations of the images that a view shows.
extension BindingRunner {
    /// The view shows an image with an animation, which plays until the view shows something else.
    func beginAnimation(_ animated: Animated, _ isolation: (any Actor)?) {
        let plays = state.withLock { state in
            guard state.binding.token.request == animated.request else { return false }
            state.animated = animated
            return !state.binding.calls.isMotionReduced
        }
        if plays { startPlaying(animated, isolation) }
    }

    /// Plays an animation until the view shows something else, also while a newer request keeps it.
    private func startPlaying(_ animated: Animated, _ isolation: (any Actor)?) {
        guard let animation = animated.image.animation else { return }
        let signal = makeSignal(isolation)
        let (id, wasVisible) = state.withLock { state in
            state.lastAnimation += 1
            return (state.lastAnimation, state.binding.isVisible)
        }
        let player = animation.play(isPaused: !wasVisible) { [weak self] frame in
            self?.state.withLock { state in
                guard state.lastAnimation == id else { return }
                state.binding.calls.appendResult(.setFrame(frame, badge: animated.badge))
            }
            signal.yield()
        }
        let playing = Playing(player: player, signal: signal)
        let isVisible = state.withLock { state -> Bool? in
            guard state.lastAnimation == id else { return nil }
            state.playing = playing
            return state.binding.isVisible
        }
        guard let isVisible else { return playing.stop() }
        if isVisible != wasVisible { player.setPaused(!isVisible) }
    }

    /// Ends the animation of what the view shows.
    func endAnimation() {
        state.withLock { $0.animated = nil }
        stopPlaying()
    }

    private func stopPlaying() {
        let playing = state.withLock { state in
            state.lastAnimation += 1
            state.binding.calls.dropFrames()
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
        state.withLock { $0.playing }?.player.setPaused(!isVisible)
        execute(action, token, isolation)
    }
}
