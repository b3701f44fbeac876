internal import ImageCore

/// Animations of the images that a view shows.
extension BindingRunner {
    /// Plays an animation until the view shows something else.
    ///
    /// - Parameters:
    ///   - badge: the tier whose badge is drawn into each frame.
    ///   - request: the number of the request of the image. Nothing is played if a newer one has come.
    func startPlaying(_ animation: AnimatedImage, badge: CacheTier?, _ request: UInt64, _ isolation: (any Actor)?) {
        // The stream keeps one signal at most, so that frames do not pile up while a call is suspended.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastAnimation += 1
            return state.lastAnimation
        }
        let player = animation.play { [weak self] frame in
            self?.state.withLock { state in
                guard state.lastAnimation == id, state.binding.token.request == request else { return }
                state.binding.receive(frame, badge: badge)
            }
            signal.yield()
        }
        let playing = Playing(player: player, signal: signal)
        let isVisible = state.withLock { state -> Bool? in
            guard state.lastAnimation == id, state.binding.token.request == request else { return nil }
            state.playing = playing
            return state.binding.isVisible
        }
        guard let isVisible else { return playing.stop() }
        if !isVisible { player.setPaused(true) }
        Task { [self] in
            for await _ in signals { await makeCalls(isolation: isolation) }
        }
    }

    func stopPlaying() {
        let playing = state.withLock { state in
            state.lastAnimation += 1
            state.binding.dropFrames()
            return state.playing.take()
        }
        playing?.stop()
    }

    /// The view came on screen or left it.
    func setVisible(_ isVisible: Bool, _ isolation: (any Actor)?) {
        let (action, token) = change { $0.binding.setVisible(isVisible) }
        state.withLock { $0.playing }?.player.setPaused(!isVisible)
        execute(action, token, isolation)
    }
}
