public import ImageCore

/// For views of the main actor: the same calls without `await`, from where a list asks for its cells. When one returns,
/// the view shows the beginning: the image itself on a memory hit, else the placeholder. A call from within a method of the view
/// takes effect when that method has returned.
extension ImageTarget where View: MainActorImageView {
    /// Called on the main actor once with the result, unless the request is replaced, repeated or cancelled.
    public typealias MainActorCompletion = @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void

    /// Shows the image of a request, now or when it is loaded. The completion of a memory hit is called before this
    /// returns.
    @MainActor public func setImage(_ request: ImageRequest, completion: MainActorCompletion? = nil) {
        guard let (action, token) = runner.begin(request, completion.map { .onMainActor($0) }) else { return }
        runner.makeCallsNow()
        runner.carryOut(action, token, MainActor.shared)
    }

    /// The first half of ``setImage(_:completion:)``: a memory hit or the placeholder is shown, and a load that is needed waits for
    /// ``startLoad()``. So a list shows something in all its cells before it spends its time on loads.
    @MainActor package func prepareImage(_ request: ImageRequest) {
        guard runner.begin(request, nil, isHeld: true) != nil else { return }
        runner.makeCallsNow()
    }

    /// The second half. Does nothing where no load waits.
    @MainActor package func startLoad() {
        let (action, token) = runner.change { $0.binding.release() }
        runner.carryOut(action, token, MainActor.shared)
    }

    /// Stops loading; what is shown stays.
    @MainActor public func cancel() {
        runner.stop { $0.cancel() }
        runner.makeCallsNow()
    }

    /// Stops loading and shows nothing: the view is going to be reused.
    @MainActor public func clear() {
        runner.stop { $0.reset() }
        runner.makeCallsNow()
    }
}
