internal import ImageCore

/// Requests, and how the size of the view determines theirs.
extension BindingRunner {
    /// A request that is about to begin.
    struct Draft: Sendable {
        var request: ImageRequest
        /// Its options as the caller set them.
        let options: LoadOptions
        let completion: BindingCompletion?
        var isDeferred = false
        /// Tells which of several drafts is the newest.
        var number: UInt64 = 0
    }

    /// Prepares a request. Returns `nil` if it equals the current one.
    ///
    /// - Parameter isDeferred: whether the load starts later, with ``BindingState/startDeferredLoad()``.
    func draft(_ request: ImageRequest, _ completion: BindingCompletion?, isDeferred: Bool = false) -> Draft? {
        var request = request
        request.purpose = .view
        request.owner = request.owner ?? owner
        // If an option is out of range, the load reports it.
        let options = (try? loader.options(for: request)) ?? LoadOptions()
        return state.withLock { state in
            guard !state.binding.isSame(request, options: options) else { return nil }
            state.newestDraft += 1
            return Draft(
                request: request, options: options, completion: completion, isDeferred: isDeferred, number: state.newestDraft)
        }
    }

    /// Makes a request the current one and cancels the previous load. Returns `nil` if a newer request came in the meantime.
    ///
    /// - Parameter size: the size of the view; it has no effect on a request that sets a target size.
    func begin(_ draft: Draft, _ size: ViewImageSize) -> (BindingState.LoadAction, BindingState.Token)? {
        var sizing = Sizing.none
        var request = draft.request
        if draft.options.sizesToView {
            switch size {
            case .unlimited: break
            case .pending: sizing = .waiting(draft)
            case .box(let box, let mode):
                sizing = .sized(draft, box, mode)
                request.set(box, mode)
            }
        }
        let isWaiting = if case .waiting = sizing { true } else { false }
        let hit = isWaiting ? nil : loader.cachedImage(for: request).map { ImageResponse(image: $0, tier: .memory) }
        guard state.withLock({ $0.newestDraft == draft.number }) else { return nil }
        return change { [request] state in
            (state.request, state.completion, state.sizing) = (request, draft.completion, sizing)
            return state.binding.begin(
                request, options: draft.options, hit: hit, isDeferred: draft.isDeferred, isWaitingForSize: isWaiting)
        }
    }

    /// The size of the view has changed: starts a load that waited for it, or loads the image again if the view has grown.
    ///
    /// - Returns: `nil` if there is nothing to do.
    func resize(to size: ViewImageSize) -> (BindingState.LoadAction, BindingState.Token)? {
        let sizing = state.withLock { $0.sizing }
        switch (sizing, size) {
        case (.waiting(var draft), .box), (.waiting(var draft), .unlimited):
            draft.isDeferred = false
            return begin(draft, size)
        case (.sized(let draft, let old, let oldMode), .box(let new, let mode))
        where new.width > old.width || new.height > old.height || mode != oldMode:
            return change { state in
                // A newer request may have come.
                guard state.newestDraft == draft.number else { return .keep }
                state.sizing = .sized(draft, new, mode)
                state.request?.set(new, mode)
                return state.binding.grow()
            }
        default: return nil
        }
    }
}

extension BindingRunner.State {
    /// Forgets the current request.
    mutating func end(_ completion: BindingCompletion?) {
        newestDraft += 1
        (request, self.completion, sizing) = (nil, completion, .none)
    }
}

extension LoadOptions {
    /// Whether a target gives the request the size of its view.
    fileprivate var sizesToView: Bool { sizesToTarget && targetSize == nil }
}

extension ImageRequest {
    /// Sets the size of the image to that of a view.
    fileprivate mutating func set(_ size: PixelSize, _ mode: ContentMode) {
        (options.targetSize, options.contentMode) = (size, mode)
    }
}
