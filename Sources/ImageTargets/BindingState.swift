internal import ImageCore

/// The binding rules as a value: what a view shows, and which load it waits for.
///
/// Each method handles one event. It returns what to do with the load, and adds the calls to the view to ``calls``. A
/// new request makes all events and all pending calls of the previous request stale. A request for the current image
/// changes only what its options say (``update(_:_:options:)``).
struct BindingState: Sendable {
    /// What to do with the running load.
    enum LoadAction: Hashable, Sendable {
        case keep
        /// Cancel it and start a new one.
        case start
        /// Start a new one and then cancel it, so that the new load shares its transfer.
        case replace
        /// Cancel it.
        case stop
        case setPriority(LoadPriority)
    }

    /// Identifies one load of one request. The tokens of replaced requests and of cancelled loads are stale.
    struct Token: Hashable, Sendable {
        var request: UInt64 = 0
        var load: UInt64 = 0
    }

    /// The calls that are still to be made to the view.
    var calls = CallQueue()
    private(set) var token = Token()
    private(set) var source: ImageSource?
    private(set) var isVisible = true
    private var identity: RequestIdentity?
    private(set) var options = LoadOptions()
    private var priority = LoadPriority.normal
    private var isLoading = false
    /// Whether no load runs, although the image is not loaded: the view is off screen, or its size is not known.
    private var isSuspended = false
    private var hasPreview = false
    /// The image of the request, if the view shows it. A running load then makes another version of it, which the view
    /// waits for without a blank.
    private var shown: ImageResponse?
    /// Whether the view has grown: the load makes a larger version of the image, and reports nothing else.
    private var isGrowing = false
    private var isWaitingForSize = false

    /// Whether the view already shows or loads the image of a request with this identity.
    func isCurrent(_ identity: RequestIdentity) -> Bool { self.identity?.image == identity.image }

    /// Replaces the current request. Its load waits for ``startLoad(hit:isWaitingForSize:)``.
    ///
    /// - Parameters:
    ///   - identity: the identity of the request.
    ///   - options: its options as the caller set them, without the size of the view.
    ///   - sizesToView: whether to ask the view for its size.
    mutating func begin(_ request: ImageRequest, _ identity: RequestIdentity, options: LoadOptions, sizesToView: Bool) {
        token.request += 1
        token.load += 1
        source = request.source
        self.identity = identity
        let setsExtra = !options.extra.isEmpty || !self.options.extra.isEmpty
        self.options = options
        priority = options.priority
        (hasPreview, shown, isGrowing) = (false, nil, false)
        (isLoading, isSuspended, isWaitingForSize) = (true, true, true)
        calls.replaceAll(by: setsExtra ? [.setExtraOptions(options.extra)] : [])
        calls.append(.setAccessibilityLabel(options.accessibilityLabel))
        if sizesToView { calls.appendSizeUpdate() }
    }

    /// Shows a memory hit without placeholder or transition, or otherwise the placeholder.
    ///
    /// - Parameters:
    ///   - hit: the image if it is in the memory cache.
    ///   - isWaitingForSize: whether the load waits until the view has a size, and this method is called once more.
    mutating func startLoad(hit: ImageResponse?, isWaitingForSize: Bool) -> LoadAction {
        self.isWaitingForSize = isWaitingForSize
        isLoading = hit == nil
        isSuspended = isLoading && mustWaitForView
        if let hit {
            if calls.willShowLoading { calls.append(.setLoading(false)) }
            calls.append(.setImage(hit.image, .none, badge: badge(hit)))
            calls.appendCompletion(.success(hit))
            return .keep
        }
        if !(options.keepsImageWhileLoading && calls.showsImage) { calls.append(options.placeholder) }
        calls.append(.setLoading(true))
        return isSuspended ? .keep : .start
    }

    /// Takes over a request for the image that the view shows or loads, with what differs from the current one.
    ///
    /// Starts another load if the running one has other options, or if the policy asks the source for an image that the
    /// view shows. The view keeps the image meanwhile.
    ///
    /// - Returns: what to do with the load, and whether the result belongs to this request instead of the current one.
    mutating func update(
        _ request: ImageRequest, _ identity: RequestIdentity, options: LoadOptions
    ) -> (action: LoadAction, takesResult: Bool) {
        let (old, oldLoad) = (self.options, self.identity?.load)
        (source, self.identity, self.options) = (request.source, identity, options)
        if options.extra != old.extra { calls.append(.setExtraOptions(options.extra)) }
        if options.accessibilityLabel != old.accessibilityLabel {
            calls.append(.setAccessibilityLabel(options.accessibilityLabel))
        }
        if let shown, options.showsTierBadge != old.showsTierBadge { calls.append(badge: badge(shown), of: shown.image) }
        let showsPlaceholder = isLoading && shown == nil && !hasPreview
        if showsPlaceholder, options.placeholder != old.placeholder { calls.append(options.placeholder) }
        // Without a cache to bring up to date, only the first request of several asks for the image that is shown.
        let policy = options.cachePolicy
        let asksAgain = policy.asksSource && (policy != .noCache || old.cachePolicy != policy)
        if options.priority != old.priority { priority = options.priority }
        if isLoading && !isGrowing ? identity.load != oldLoad : asksAgain {
            if !isLoading || isGrowing { calls.append(.setLoading(true)) }
            (isLoading, isGrowing) = (true, false)
            return (replaceLoad(), true)
        }
        guard isLoading else { return (.keep, false) }
        if isSuspended != mustWaitForView { return (replaceLoad(), false) }
        return (isSuspended ? .keep : .setPriority(effectivePriority), false)
    }

    private mutating func replaceLoad() -> LoadAction {
        token.load += 1
        isSuspended = mustWaitForView
        return isSuspended ? .stop : .replace
    }

    /// Loads the image again for a view that has become larger. The view keeps what it shows until the larger image is
    /// there.
    mutating func grow() -> LoadAction {
        if !isLoading { (isLoading, isGrowing, hasPreview) = (true, true, true) }
        return replaceLoad()
    }

    private var mustWaitForView: Bool { isWaitingForSize || (!isVisible && options.offScreenPolicy == .cancels) }

    /// Ends the request and clears the view, which is about to be reused.
    mutating func reset() {
        close()
        if calls.willShowLoading { calls.append(.setLoading(false)) }
        calls.append(.clear)
    }

    /// Ends the request and shows the failure image, or otherwise the placeholder: there is no URL to load.
    mutating func beginWithoutURL(_ options: LoadOptions) {
        close()
        calls.replaceAll(by: [.setAccessibilityLabel(options.accessibilityLabel)])
        if let image = options.failureImage {
            calls.append(.setImage(image, .none, badge: nil))
        } else {
            calls.append(options.placeholder)
        }
        calls.append(.setLoading(false))
        let error = ImageError(.invalidRequest, message: "The view has no URL to load. Set one, or expect this error.")
        calls.appendCompletion(.failure(.failed(error)))
    }

    /// Ends the request and drops all pending calls, because the view or its target was released.
    mutating func close() {
        token.request += 1
        token.load += 1
        (source, identity) = (nil, nil)
        (isLoading, isSuspended, hasPreview, shown, isGrowing) = (false, false, false, nil, false)
        calls.replaceAll(by: [])
    }

    /// Cancels the load. The view keeps what it shows, and the same request may be made again.
    mutating func cancel() {
        token.request += 1
        token.load += 1
        // A loaded image that is not shown yet is dropped with its completion, as if it were still loading.
        if calls.dropResults() || (isLoading && !isGrowing), shown == nil { identity = nil }
        (isLoading, isSuspended, isGrowing) = (false, false, false)
        if calls.willShowLoading { calls.append(.setLoading(false)) }
    }

    /// Handles that the view came on screen or left it. What it shows does not change.
    mutating func setVisible(_ isVisible: Bool) -> LoadAction {
        guard isVisible != self.isVisible else { return .keep }
        self.isVisible = isVisible
        guard isLoading else { return .keep }
        switch options.offScreenPolicy {
        case .keepsPriority: return .keep
        case .lowersPriority: return .setPriority(effectivePriority)
        case .cancels:
            token.load += 1
            isSuspended = mustWaitForView
            return isSuspended ? .stop : .start
        }
    }

    /// Sets the priority that the load has while the view is on screen.
    mutating func setPriority(_ priority: LoadPriority) -> LoadAction {
        self.priority = priority
        return isLoading && !isSuspended ? .setPriority(effectivePriority) : .keep
    }

    /// Handles an event of the load that `token` identifies. A stale event adds no calls.
    mutating func receive(_ event: LoadEvent, _ token: Token) {
        guard token == self.token, isLoading, !isSuspended else { return }
        switch event {
        case .progress(let progress): if !isGrowing { calls.appendResult(.setProgress(progress)) }
        case .preview(let image):
            if isGrowing || shown != nil { break }
            hasPreview = true
            calls.appendResult(.setImage(image, .none, badge: nil))
        case .finished(let result):
            isLoading = false
            if isGrowing { return finishGrowing(result) }
            calls.appendResult(.setLoading(false))
            switch result {
            case .success(let response):
                // After a preview, a transition would flicker.
                let transition = hasPreview ? .none : options.transition
                calls.appendResult(.setImage(response.image, transition, badge: badge(response)))
                calls.appendCompletion(result)
            case .failure(.cancelled): if shown == nil { identity = nil }
            case .failure(.failed(let error)):
                // A view that shows the image keeps it.
                if shown == nil {
                    if let image = options.failureImage { calls.appendResult(.setImage(image, .none, badge: nil)) }
                    calls.appendResult(.setFailure(error))
                }
                calls.appendCompletion(result)
            }
        }
    }

    /// The view keeps the smaller image if the larger one cannot be loaded.
    private mutating func finishGrowing(_ result: Result<ImageResponse, LoadFailure>) {
        isGrowing = false
        if case .success(let response) = result {
            if shown != nil { shown = response }
            calls.appendResult(.setImage(response.image, .none, badge: badge(response)))
        }
    }

    /// Takes the next call or completion.
    mutating func nextStep() -> CallQueue.Step? {
        let step = calls.next()
        switch step {
        case .complete(.success(let response)): shown = response
        // The view shows the failure now, so that the same request may be made again, even by this completion.
        case .complete(.failure): if shown == nil { identity = nil }
        default: break
        }
        return step
    }

    /// The priority of the load, which depends on whether the view is on screen.
    var effectivePriority: LoadPriority {
        isVisible || options.offScreenPolicy == .keepsPriority ? priority : min(priority, .veryLow)
    }

    private func badge(_ response: ImageResponse) -> CacheTier? { options.showsTierBadge ? response.tier : nil }
}
