public import ImageCore

/// The same calls for views of the main actor, without `await`.
///
/// When one of them returns, the view already shows the change. A call from within a method of the view takes effect
/// after that method returns.
extension ImageTarget where View: MainActorImageView {
    /// Receives the result of a request on the main actor.
    public typealias MainActorCompletion = @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void

    /// Shows the image of a request, now or when it is loaded.
    ///
    /// When this method returns, the view shows the image of a memory hit, or otherwise the placeholder.
    ///
    /// - Parameters:
    ///   - request: the image to show.
    ///   - completion: called once with the result, for a memory hit before this method returns; not called if the
    ///     request is replaced, repeated or cancelled. `nil` by default.
    @MainActor public func setImage(_ request: ImageRequest, completion: MainActorCompletion? = nil) {
        runner.begin(request, completion.map { .onMainActor($0) })
        runner.makeCallsNow()
    }

    /// Shows the image at a URL, now or when it is loaded.
    ///
    /// - Parameters:
    ///   - url: the URL of the image. `nil` cancels the load and shows the failure image of the loader's options, or
    ///     otherwise their placeholder; the completion is then called with ``ImageError/Code/invalidRequest``.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    ///   - completion: called as by ``setImage(_:completion:)``. `nil` by default.
    @MainActor public func setImage(
        _ url: URL?, size: PixelSize? = nil, processors: [any Processing] = [], completion: MainActorCompletion? = nil
    ) {
        let request = url.map { ImageRequest(url: $0, size: size, processors: processors) }
        runner.begin(request, completion.map { .onMainActor($0) })
        runner.makeCallsNow()
    }

    /// Reports that the size, the scale or the content mode of the view has changed; see
    /// ``viewSizeChanged(isolation:)``.
    @MainActor public func viewSizeChanged() {
        runner.state.withLock { $0.binding.calls.appendSizeUpdate() }
        runner.makeCallsNow()
    }

    /// Reports that the user's preference for reduced motion may have changed; see
    /// ``motionPreferenceChanged(isolation:)``.
    @MainActor public func motionPreferenceChanged() {
        runner.state.withLock { $0.binding.calls.appendMotionUpdate() }
        runner.makeCallsNow()
    }

    /// Cancels the load. The view keeps what it shows.
    @MainActor public func cancel() {
        runner.stop { $0.cancel() }
        runner.makeCallsNow()
    }

    /// Cancels the load and clears the view, for example before the view is reused.
    @MainActor public func clear() {
        runner.stop { $0.reset() }
        runner.makeCallsNow()
    }
}
