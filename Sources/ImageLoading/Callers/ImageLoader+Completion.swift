public import Dispatch
public import ImageCore

// Loads for code without `async`: the caller chooses where the closures run. None is called from inside the call that
// starts the load. The completion is called exactly once, after the progress, and not at all for a cancelled load
// unless `reportsCancellation` is `true`. After `cancel()`, called where the closures run, no call follows, even one
// that is already scheduled.
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
        follow(request, reportsProgress: progress != nil) { task, event in
            queue.async { task.deliver(event, reportsCancellation, progress, completion) }
        }
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
        follow(request, reportsProgress: progress != nil) { task, event in
            await task.deliver(event, reportsCancellation, on: actor, progress, completion)
        }
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
        follow(request, reportsProgress: progress != nil) { @MainActor task, event in
            task.deliver(event, reportsCancellation, { progress?($0) }, { completion($0) })
        }
    }

    /// Starts a load and passes on its events one at a time, the first after this call: the end, and the others if
    /// `reportsProgress` is `true`.
    private func follow(
        _ request: ImageRequest, reportsProgress: Bool, _ body: @escaping @Sendable (ImageTask, LoadEvent) async -> Void
    ) -> ImageTask {
        let task = task(for: request)
        guard reportsProgress else {
            task.whenFinished { result in Task { await body(task, .finished(result)) } }
            return task
        }
        let events = task.events
        Task { for await event in events { await body(task, event) } }
        return task
    }
}

extension ImageTask {
    /// Calls the closure for the event, unless the load was cancelled. Called where the closures run.
    fileprivate func deliver(
        _ event: LoadEvent, _ reportsCancellation: Bool, _ progress: ((LoadProgress) -> Void)?,
        _ completion: (Result<ImageResponse, LoadFailure>) -> Void
    ) {
        switch event {
        case .progress(let bytes): if !isCancelled { progress?(bytes) }
        case .preview: break
        case .finished(let result):
            if reportsCancellation || !isCancelled && result.failure != .cancelled { completion(result) }
        }
    }

    /// Does so on an actor, without suspending between the check and the call.
    fileprivate func deliver<Owner: Actor>(
        _ event: LoadEvent, _ reportsCancellation: Bool, on actor: isolated Owner,
        _ progress: (@Sendable (isolated Owner, LoadProgress) -> Void)?,
        _ completion: @Sendable (isolated Owner, Result<ImageResponse, LoadFailure>) -> Void
    ) {
        deliver(event, reportsCancellation, { progress?(actor, $0) }, { completion(actor, $0) })
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
