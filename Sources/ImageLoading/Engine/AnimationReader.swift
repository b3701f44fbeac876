internal import ImageCore
internal import ImageKernels

/// Makes the frames of an animated file on a worker thread, with the options and the processors of its load.
///
/// While a view plays the animation, its frames are kept if the loader's budget for frames has room for all of them;
/// otherwise each frame is decoded whenever it is shown.
final class AnimationReader: AnimationFrames {
    private struct State {
        /// The animation while no decode uses it, and what cancels its decodes.
        var animation: Unshared?
        var token: CancellationToken?
        var isPlaying = false
        /// The frames that are kept; `nil` if they do not fit into the budget or no view plays.
        var kept: [Int: DecodedImage]?
        var reservedBytes = 0
    }

    // @unchecked because a decode takes it out of the state, so that one thread at a time uses it.
    private struct Unshared: @unchecked Sendable {
        let animation: any ImageAnimation
    }

    let durations: [Duration]
    let loopCount: Int
    private let data: Data
    private let options: DecodeOptions
    private let processors: [any Processing]
    private let resources: AnimationResources
    private let state = Lock(State())

    var clock: any Clock<Duration> { resources.clock }
    var byteCount: Int { data.count }

    /// Reads how many frames there are and how long each is shown.
    ///
    /// - Returns: `nil` if the file has one frame, or cannot be read as an animation.
    init?(_ data: Data, options: DecodeOptions, _ resources: AnimationResources) {
        guard let animation = try? resources.animation(of: data, options: options), animation.frameCount > 1 else {
            return nil
        }
        durations = animation.durations.map { $0 <= .milliseconds(10) ? .milliseconds(100) : min($0, .seconds(86_400)) }
        loopCount = max(0, animation.loopCount)
        (self.data, self.options, self.resources, processors) = (data, options, resources, [])
    }

    private init(_ reader: AnimationReader, _ processors: [any Processing]) {
        (durations, loopCount, data) = (reader.durations, reader.loopCount, reader.data)
        (options, resources, self.processors) = (reader.options, reader.resources, processors)
    }

    deinit { resources.budget.giveBack(state.withLock { $0.reservedBytes }) }

    /// The animation with another processor after the others.
    func processed(by processor: any Processing) -> AnimationReader { AnimationReader(self, processors + [processor]) }

    /// The same animation, with decodes that are cancelled apart from those of this one.
    func copy() -> AnimationReader { AnimationReader(self, processors) }

    func frame(at index: Int) async throws -> DecodedImage {
        if let image = state.withLock({ $0.kept?[index] }) { return image }
        do {
            return try await decoded(index)
        } catch is CancellationError where !Task.isCancelled {
            // Another caller was cancelled, and the decode with it.
            return try await decoded(index)
        }
    }

    private func decoded(_ index: Int) async throws -> DecodedImage {
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await resources.workers.run { try self.decode(index) }
        } onCancel: {
            state.withLock { $0.token }?.cancel()
        }
    }

    /// Makes a frame on the calling thread.
    func decode(_ index: Int) throws -> DecodedImage {
        let (taken, token) = state.withLock { state in
            defer { state.animation = nil }
            if let token = state.token, !token.isCancelled { return (state.animation, token) }
            let token = CancellationToken()
            state.token = token
            return (nil, token)
        }
        var options = options
        options.cancellation = token
        let unshared = try taken ?? Unshared(animation: resources.animation(of: data, options: options))
        let image = try process(
            resources.decoder.scaleDown(unshared.animation.frame(at: index), of: data, options: options), token)
        finish(image, index, unshared, token)
        return image
    }

    private func process(_ image: DecodedImage, _ token: CancellationToken) throws -> DecodedImage {
        try processors.reduce(image) {
            try ProcessStage(processor: $1, maximumPixels: options.limits.pixels, extra: options.extra).process($0, token)
        }
    }

    /// Puts the animation back for the next frame, and keeps the frame if all have room.
    private func finish(_ image: DecodedImage, _ index: Int, _ unshared: Unshared, _ token: CancellationToken) {
        state.withLock { state in
            guard state.token === token else { return }
            // A caller that reads all frames is done after the last one.
            guard state.isPlaying || index < frameCount - 1 else { return state.token = nil }
            state.animation = unshared
            guard state.isPlaying else { return }
            if state.reservedBytes == 0, resources.budget.reserve(frameCount * image.cost) {
                (state.reservedBytes, state.kept) = (frameCount * image.cost, [:])
            }
            state.kept?[index] = image
            // All frames are there.
            if state.kept?.count == frameCount { state.animation = nil }
        }
    }

    private var frameCount: Int { durations.count }

    func playbackBegan() { state.withLock { $0.isPlaying = true } }

    func playbackEnded() {
        let (token, bytes) = state.withLock { state in
            defer { state = State() }
            return (state.token, state.reservedBytes)
        }
        token?.cancel()
        resources.budget.giveBack(bytes)
    }
}
