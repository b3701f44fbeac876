internal import ImageCore
internal import ImageProcessing

/// Requests, and how the size of the view determines theirs.
extension BindingRunner {
    /// Makes a request the current one, and cancels the previous load. A request for the current image only changes
    /// what its options say. Without a request, shows that there is no image to load.
    func begin(_ request: ImageRequest?, _ completion: BindingCompletion?) {
        guard var request else { return beginWithoutURL(completion) }
        request.purpose = .view
        request.owner = request.owner ?? owner
        // If an option is out of range, the load reports it.
        let options = (try? loader.options(for: request)) ?? LoadOptions()
        let identity = RequestIdentity(request, options)
        let sizesToView = options.sizesToTarget && options.targetSize == nil
        var size: ViewImageSize? = sizesToView ? nil : .unlimited
        var old: LoadOptions?
        let (action, token) = change { [request] state in
            guard !state.binding.isCurrent(identity) else {
                (size, old) = (nil, state.binding.options)
                return state.update(request, identity, options, completion)
            }
            // The view cannot be asked before its call returns. Until then, its last answer has to do.
            if sizesToView, state.binding.calls.isRunning { size = state.viewSize }
            state.end(completion)
            (state.request, state.sizesToView) = (request, sizesToView)
            state.binding.begin(request, identity, options: options, sizesToView: sizesToView)
            return .stop
        }
        if let size { setSize(size) }
        if case .setPriority = action { execute(action, token, nil) }
        if let old { updateAnimation(from: old, to: options) }
    }

    /// Ends the current request, and shows that there is no image to load.
    private func beginWithoutURL(_ completion: BindingCompletion?) {
        // The options of a request that sets none.
        let options = (try? loader.options(for: ImageRequest(.bytes(Data(), id: "")))) ?? LoadOptions()
        _ = change { state in
            state.end(completion)
            state.binding.beginWithoutURL(options)
            return .stop
        }
    }

    /// Gives the current request the size of the view: starts the load if it waits for the size, or loads the image
    /// again if the view has grown.
    func setSize(_ size: ViewImageSize) {
        let (current, options, old, number) = state.withLock {
            ($0.request, $0.binding.options, $0.size, $0.binding.token.request)
        }
        guard let request = current else { return }
        let isWaiting = size == .pending
        let starts = old == nil || (old == .pending && !isWaiting)
        guard starts || size.isLarger(than: old) else { return }
        let image = starts && !isWaiting ? loader.cachedImage(for: request.sized(to: size, options)) : nil
        _ = change { state in
            // The loader may have made a newer request.
            guard state.binding.token.request == number else { return .keep }
            state.size = size
            let hit = image.map { ImageResponse(image: $0, tier: .memory) }
            let action = starts ? state.binding.startLoad(hit: hit, isWaitingForSize: isWaiting) : state.binding.grow()
            if action == .start || action == .replace { state.dueLoad = state.binding.token }
            return action
        }
    }
}

extension BindingRunner.State {
    /// Takes over a request for the current image.
    mutating func update(
        _ request: ImageRequest, _ identity: RequestIdentity, _ options: LoadOptions, _ completion: BindingCompletion?
    ) -> BindingState.LoadAction {
        if self.request == nil {
            // The load was cancelled.
            sizesToView = options.sizesToTarget && options.targetSize == nil
            size = sizesToView ? viewSize : .unlimited
        }
        self.request = request
        let (action, takesResult) = binding.update(request, identity, options: options)
        if takesResult { self.completion = completion }
        if action == .replace { dueLoad = binding.token }
        return action
    }

    /// Forgets the current request.
    mutating func end(_ completion: BindingCompletion?) {
        (request, self.completion, sizesToView, size) = (nil, completion, false, nil)
    }
}

extension ImageRequest {
    /// The request with the size of its view: that of the decode, or, where a processor needs the whole image, that of
    /// the result of the last such processor. The processors after that work in pixels of the view.
    func sized(to size: ViewImageSize?, _ options: LoadOptions) -> ImageRequest {
        guard case .box(let box, let mode)? = size else { return self }
        var request = self
        if let last = options.processors.lastIndex(where: \.needsWholeImage) {
            var processors = options.processors
            processors.insert(.resize(to: box, mode: mode), at: last + 1)
            request.options.processors = processors
        } else {
            (request.options.targetSize, request.options.contentMode) = (box, mode)
        }
        return request
    }
}

extension ViewImageSize {
    /// Whether an image for the other size does not do for this one.
    fileprivate func isLarger(than other: ViewImageSize?) -> Bool {
        guard case .box(let new, let mode) = self, case .box(let old, let oldMode)? = other else { return false }
        return new.width > old.width || new.height > old.height || mode != oldMode
    }
}
