public import Dispatch
public import ImageCore

// Loads for code without `async`: the caller chooses where the closures run. None is called from inside the call that starts the
// load. The completion is called exactly once, after the progress, and not at all for a cancelled load unless
// `reportsCancellation` is `true`. After `cancel()`, called where the closures run, no call follows, even one that is already
// scheduled.
extension ImageLoader {
    /// Loads an image and calls `completion` on a queue.
    ///
    /// ```swift
    /// import Calotype
    /// import Dispatch
    ///
    /// func show(_ url: URL, from loader: ImageLoader, show: @escaping @Sendable (DecodedImage) -> Void) -> ImageTask {
    ///     loader.load(ImageRequest(url: url), on: .main) { result in
    ///         if case .success(let response) = result { show(response.image) }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - queue: the queue on which the closures are called. On a concurrent queue, their calls may overlap.
    ///   - reportsCancellation: whether a cancelled load calls `completion` with ``LoadFailure/cancelled``; `false`.
    ///   - progress: called while bytes arrive; `nil` by default.
    ///   - completion: called once with the result.
    /// - Returns: the handle of the load. Releasing it does not cancel the load.
    @discardableResult
    public func load(
        _ request: ImageRequest, on queue: DispatchQueue, reportsCancellation: Bool = false,
        progress: (@Sendable (LoadProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, LoadFailure>) -> Void
    ) -> ImageTask {
        let task = task(for: request)
        @Sendable func complete(_ result: Result<ImageResponse, LoadFailure>) {
            queue.async { if task.mayComplete(result, reportsCancellation) { completion(result) } }
        }
        guard let progress else {
            task.whenFinished(complete)
            return task
        }
        let events = task.events
        Task {
            for await event in events {
                switch event {
                case .progress(let bytes): queue.async { if !task.isCancelled { progress(bytes) } }
                case .preview: break
                case .finished(let result): complete(result)
                }
            }
        }
        return task
    }

    /// Loads an image and calls `completion` on an actor, with access to its state.
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - actor: the actor on which the closures are called.
    ///   - reportsCancellation: whether a cancelled load calls `completion` with ``LoadFailure/cancelled``; `false`.
    ///   - progress: called while bytes arrive; `nil` by default.
    ///   - completion: called once with the result.
    /// - Returns: the handle of the load. Releasing it does not cancel the load.
    @discardableResult
    public func load<Owner: Actor>(
        _ request: ImageRequest, on actor: Owner, reportsCancellation: Bool = false,
        progress: (@Sendable (isolated Owner, LoadProgress) -> Void)? = nil,
        completion: @escaping @Sendable (isolated Owner, Result<ImageResponse, LoadFailure>) -> Void
    ) -> ImageTask {
        let task = task(for: request)
        guard let progress else {
            task.whenFinished { result in
                Task { await task.complete(with: result, reportsCancellation, on: actor, completion) }
            }
            return task
        }
        let events = task.events
        Task {
            for await event in events {
                switch event {
                case .progress(let bytes): await task.report(bytes, on: actor, progress)
                case .preview: break
                case .finished(let result): await task.complete(with: result, reportsCancellation, on: actor, completion)
                }
            }
        }
        return task
    }

    /// Loads an image and calls `completion` on the main actor.
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - reportsCancellation: whether a cancelled load calls `completion` with ``LoadFailure/cancelled``; `false`.
    ///   - progress: called while bytes arrive; `nil` by default.
    ///   - completion: called once with the result.
    /// - Returns: the handle of the load. Releasing it does not cancel the load.
    @discardableResult
    public func load(
        _ request: ImageRequest, reportsCancellation: Bool = false,
        progress: (@MainActor @Sendable (LoadProgress) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void
    ) -> ImageTask {
        let task = task(for: request)
        guard let progress else {
            task.whenFinished { result in
                Task { @MainActor in if task.mayComplete(result, reportsCancellation) { completion(result) } }
            }
            return task
        }
        let events = task.events
        Task { @MainActor in
            for await event in events {
                switch event {
                case .progress(let bytes): if !task.isCancelled { progress(bytes) }
                case .preview: break
                case .finished(let result): if task.mayComplete(result, reportsCancellation) { completion(result) }
                }
            }
        }
        return task
    }
}

// The methods on an actor ask whether a call may be made and make it without suspending in between.
extension ImageTask {
    fileprivate func report<Owner: Actor>(
        _ bytes: LoadProgress, on actor: isolated Owner, _ progress: @Sendable (isolated Owner, LoadProgress) -> Void
    ) {
        if !isCancelled { progress(actor, bytes) }
    }

    fileprivate func complete<Owner: Actor>(
        with result: Result<ImageResponse, LoadFailure>, _ reportsCancellation: Bool, on actor: isolated Owner,
        _ completion: @Sendable (isolated Owner, Result<ImageResponse, LoadFailure>) -> Void
    ) {
        if mayComplete(result, reportsCancellation) { completion(actor, result) }
    }

    /// Whether a completion may be called with the result. Called where the completion runs, right before it.
    fileprivate func mayComplete(_ result: Result<ImageResponse, LoadFailure>, _ reportsCancellation: Bool) -> Bool {
        if reportsCancellation { return true }
        if case .failure(.cancelled) = result { return false }
        return !isCancelled
    }
}
