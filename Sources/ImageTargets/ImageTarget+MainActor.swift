public import ImageCore

/// For views of the main actor: the same calls without `await`, from where a list asks for its cells. When one returns,
/// the view shows the beginning: the image itself on a memory hit, else the placeholder.
extension ImageTarget where View: MainActorImageView {
    /// Called on the main actor once with the result, unless the request is replaced, repeated or cancelled.
    public typealias MainActorCompletion = @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void

    /// Shows the image of a request, now or when it is loaded. The completion of a memory hit is called before this
    /// returns.
    @MainActor public func setImage(_ request: ImageRequest, completion: MainActorCompletion? = nil) {
        var later: Completion?
        if let completion { later = { await completion($0) } }
        guard let (change, token) = begin(request, later) else { return }
        perform(change.effects, completion)
        carryOut(change.load, token, MainActor.shared)
    }

    /// The first half of ``setImage(_:completion:)``: a memory hit or the placeholder is shown, and a load that is needed waits for
    /// ``startLoad()``. So a list shows something in all its cells before it spends its time on loads.
    @MainActor package func prepareImage(_ request: ImageRequest) {
        guard let (change, _) = begin(request, nil, isHeld: true) else { return }
        perform(change.effects, nil)
    }

    /// The second half. Does nothing where no load waits.
    @MainActor package func startLoad() {
        let (action, token) = state.withLock { ($0.binding.release().load, $0.binding.token) }
        carryOut(action, token, MainActor.shared)
    }

    /// Stops loading; what is shown stays.
    @MainActor public func cancel() { perform(stop { $0.cancel() }.0, nil) }

    /// Stops loading and shows nothing: the view is going to be reused.
    @MainActor public func clear() { perform(stop { $0.reset() }.0, nil) }

    /// Nothing suspends here, so that no effect can have become stale.
    @MainActor private func perform(_ effects: [BindingState.Effect], _ completion: MainActorCompletion?) {
        guard let view = view.value else { return }
        for effect in effects {
            switch effect.drawn {
            case .setImage(let image, let transition, _):
                view.setImage(image, transition: view.prefersReducedMotion() ? .none : transition)
            case .clear: view.clear()
            case .setPlaceholder(let placeholder): view.setPlaceholder(placeholder)
            case .setLoading(let isLoading): view.setLoading(isLoading)
            case .setProgress(let progress): view.setProgress(progress)
            case .setFailure(let error): view.setFailure(error)
            case .setAccessibilityLabel(let label): view.setAccessibilityLabel(label)
            case .complete(let result):
                _ = endShowing()
                completion?(result)
            }
        }
    }
}
