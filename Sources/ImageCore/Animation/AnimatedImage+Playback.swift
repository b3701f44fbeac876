extension AnimatedImage {
    /// The views that play an animation, and where they are.
    struct Playback {
        struct Listener {
            let onFrame: @Sendable (DecodedImage) -> Void
            let onLoop: (@Sendable (AnimationPlaybackState) -> Void)?
            /// How often to show the animation; 0 for ever.
            var plays: Int
            var isPaused: Bool
            var finishedLoops = 0
            /// The frame that its view shows.
            var frame = 0

            var isOver: Bool { plays > 0 && finishedLoops >= plays }
            var isActive: Bool { !isPaused && !isOver }
        }

        var position: AnimationPosition
        /// The frame that all views show; `nil` for the image from which they began.
        var current: DecodedImage?
        var listeners: [UInt64: Listener] = [:]
        private var lastID: UInt64 = 0
        /// The task that plays, or did so last.
        var task: Task<Void, Never>?
        var isRunning = false
        /// Whether a frame could not be made.
        var hasFailed = false
        /// Counts the tasks, so that a cancelled one that still decodes shows nothing.
        var run = 0

        init(frameCount: Int) { position = AnimationPosition(frameCount: frameCount) }

        var isPlaying: Bool { position.frameCount > 1 && !hasFailed && listeners.values.contains(where: \.isActive) }

        /// Whether no view shows a frame after this loop.
        var endsWithLoop: Bool {
            listeners.values.allSatisfy { !$0.isActive || $0.plays > 0 && $0.finishedLoops + 1 >= $0.plays }
        }

        /// - Parameter sharesCount: whether the loops of the other views count for this one.
        mutating func add(_ listener: Listener, sharesCount: Bool) -> UInt64 {
            var listener = listener
            if sharesCount { listener.finishedLoops = position.finishedLoops }
            // It would stop at any frame if others play longer.
            if listener.isOver, isPlaying { listener.finishedLoops = 0 }
            listener.frame = listener.isPaused ? 0 : position.frame
            hasFailed = false
            lastID += 1
            listeners[lastID] = listener
            return lastID
        }

        /// Ends a loop, and returns the views that played it.
        mutating func finishLoop() -> [Listener] {
            position.finishLoop()
            return listeners.filter { $0.value.isActive }.map { id, listener in
                listeners[id]?.finishedLoops += 1
                return listeners[id] ?? listener
            }
        }

        /// Shows the next frame, and returns the views that show it.
        mutating func advance(to image: DecodedImage) -> [Listener] {
            position.advance()
            current = image
            return listeners.filter { $0.value.isActive }.map { id, listener in
                listeners[id]?.frame = position.frame
                return listener
            }
        }

        mutating func rewind() { (position, current) = (AnimationPosition(frameCount: position.frameCount), nil) }

        func state(of listener: Listener) -> AnimationPlaybackState {
            var state = AnimationPlaybackState()
            (state.frame, state.finishedLoops, state.isOver) = (listener.frame, listener.finishedLoops, listener.isOver)
            state.isPlaying = listener.isActive && isPlaying
            return state
        }
    }

    func startOrStop() {
        let cancelled = playback.withLock { playback -> Task<Void, Never>? in
            guard playback.isPlaying != playback.isRunning else { return nil }
            playback.isRunning = playback.isPlaying
            playback.run += 1
            guard playback.isRunning else { return playback.task }
            playback.task = startTask(playback.run, after: playback.task)
            return nil
        }
        cancelled?.cancel()
    }

    /// - Parameter last: the task before, which was cancelled, so that beginnings and ends of the playback alternate.
    private func startTask(_ run: Int, after last: Task<Void, Never>?) -> Task<Void, Never> {
        Task {
            await last?.value
            guard !Task.isCancelled else { return }
            frames.playbackBegan()
            do {
                try await play(run)
            } catch {
                playback.withLock { if $0.run == run { ($0.hasFailed, $0.isRunning) = (true, false) } }
            }
            frames.playbackEnded()
        }
    }

    /// Shows the following frames at their times. Each is made while the one before is shown.
    private func play(_ run: Int) async throws {
        var position = playback.withLock { $0.position }
        var due = clock.now + (position.isLoopOver ? .zero : frames.durations[position.frame])
        while true {
            var image: DecodedImage?
            if !position.isLoopOver {
                let isEnd = position.isLastFrame && playback.withLock { $0.endsWithLoop }
                if !isEnd { image = try await frames.frame(at: position.nextFrame) }
                try await clock.sleep(for: due - clock.now)
                if position.isLastFrame, !finishLoop(run) { return }
            }
            let next = if let image { image } else { try await frames.frame(at: position.nextFrame) }
            guard let shown = show(next, run) else { return }
            position = shown
            // After a frame that took too long, the following ones do not hurry.
            due = max(due + frames.durations[position.frame], clock.now)
        }
    }

    /// Returns whether a view shows the next loop.
    private func finishLoop(_ run: Int) -> Bool {
        let calls = playback.withLock { playback in
            playback.run == run ? playback.finishLoop().map { ($0.onLoop, playback.state(of: $0)) } : []
        }
        for (onLoop, state) in calls { onLoop?(state) }
        startOrStop()
        return playback.withLock { $0.run == run }
    }

    /// Returns the new position; `nil` if another task plays, or none.
    private func show(_ image: DecodedImage, _ run: Int) -> AnimationPosition? {
        let shown = playback.withLock { playback -> (AnimationPosition, [Playback.Listener])? in
            guard playback.run == run else { return nil }
            let listeners = playback.advance(to: image)
            return (playback.position, listeners)
        }
        for listener in shown?.1 ?? [] { listener.onFrame(image) }
        return shown?.0
    }
}
