public import Dispatch
public import ImageCore

// Loads for code without `async`: the caller chooses where the completion runs. The completion is called exactly once, never
// from inside the call that starts the load, and not at all for a cancelled load unless `reportsCancellation` is `true`.
extension ImageLoader {
    /// Loads an image and calls `completion` on a queue.
    ///
    /// ```swift
    /// import Calotype
    /// import Dispatch
    ///
    /// func show(_ url: URL, from loader: ImageLoader, show: @escaping @Sendable (DecodedImage) -> Void) -> LoadToken {
    ///     loader.load(ImageRequest(url: url), on: .main) { result in
    ///         if case .success(let response) = result { show(response.image) }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - queue: the queue on which `completion` is called.
    ///   - reportsCancellation: whether a cancelled load calls `completion` with ``LoadFailure/cancelled``; `false`.
    ///   - completion: called once with the result.
    /// - Returns: a token that cancels the load.
    @discardableResult
    public func load(
        _ request: ImageRequest, on queue: DispatchQueue, reportsCancellation: Bool = false,
        completion: @escaping @Sendable (Result<ImageResponse, LoadFailure>) -> Void
    ) -> LoadToken {
        let token = LoadToken(task(for: request), reportsCancellation: reportsCancellation)
        token.follow { result in
            queue.async { if token.claim(result) { completion(result) } }
        }
        return token
    }

    /// Loads an image and calls `completion` on an actor, with access to its state.
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - actor: the actor on which `completion` is called.
    ///   - reportsCancellation: whether a cancelled load calls `completion` with ``LoadFailure/cancelled``; `false`.
    ///   - completion: called once with the result.
    /// - Returns: a token that cancels the load.
    @discardableResult
    public func load<Owner: Actor>(
        _ request: ImageRequest, on actor: Owner, reportsCancellation: Bool = false,
        completion: @escaping @Sendable (isolated Owner, Result<ImageResponse, LoadFailure>) -> Void
    ) -> LoadToken {
        let token = LoadToken(task(for: request), reportsCancellation: reportsCancellation)
        token.follow { result in
            Task { await token.call(completion, on: actor, with: result) }
        }
        return token
    }

    /// Loads an image and calls `completion` on the main actor.
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - reportsCancellation: whether a cancelled load calls `completion` with ``LoadFailure/cancelled``; `false`.
    ///   - completion: called once with the result.
    /// - Returns: a token that cancels the load.
    @discardableResult
    public func load(
        _ request: ImageRequest, reportsCancellation: Bool = false,
        completion: @escaping @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void
    ) -> LoadToken {
        let token = LoadToken(task(for: request), reportsCancellation: reportsCancellation)
        token.follow { result in
            Task { @MainActor in if token.claim(result) { completion(result) } }
        }
        return token
    }
}

extension LoadToken {
    /// Claims and calls on the actor without suspending in between.
    fileprivate func call<Owner: Actor>(
        _ completion: @Sendable (isolated Owner, Result<ImageResponse, LoadFailure>) -> Void, on actor: isolated Owner,
        with result: Result<ImageResponse, LoadFailure>
    ) {
        if claim(result) { completion(actor, result) }
    }
}
