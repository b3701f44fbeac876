internal import HTTPTypes
internal import ImageCore

/// What a view shows and which load it waits for: the binding rules as a value.
///
/// Each method is one event. It returns what to do with the load, and adds to ``calls`` what the view gets. A newer request makes
/// every event and every pending call of an older one stale; equal requests change nothing.
struct BindingState: Sendable {
    /// What becomes of the load that runs.
    enum LoadAction: Hashable, Sendable {
        case keep
        /// It is cancelled, and another one begun.
        case start
        case stop
        case setPriority(LoadPriority)
    }

    /// Names one load of one request. Those of replaced requests, and loads that were given up, are stale.
    struct Token: Hashable, Sendable {
        var request: UInt64 = 0
        var load: UInt64 = 0
    }

    /// What makes two requests the same for a target.
    struct Identity: Hashable {
        fileprivate let resource: ResourceKey
        fileprivate let headers: HTTPFields
        fileprivate let variant: String
    }

    /// The calls that the view has yet to get.
    private(set) var calls = CallQueue()
    private(set) var token = Token()
    private(set) var source: ImageSource?
    private(set) var isVisible = true
    private var identity: Identity?
    private var style = LoadOptions()
    private var priority = LoadPriority.normal
    private var isLoading = false
    /// Whether the load was given up, or not begun, until the view is on screen or, where it is held, released.
    private var isSuspended = false
    private var hasPreview = false

    /// Whether a request for `request` would change nothing: the same image is shown, or on its way.
    func isSame(_ request: ImageRequest, options: LoadOptions) -> Bool {
        identity == BindingState.identity(request, options)
    }

    /// A new request replaces what was there. With a memory hit the image shows at once: no placeholder, no transition. The load
    /// of a held one begins when it is released.
    mutating func begin(_ request: ImageRequest, options: LoadOptions, hit: ImageResponse?, isHeld: Bool = false) -> LoadAction {
        token.request += 1
        token.load += 1
        source = request.source
        identity = BindingState.identity(request, options)
        style = options
        priority = options.priority
        hasPreview = false
        isLoading = hit == nil
        isSuspended = hit == nil && (isHeld || mustWaitForView)
        calls.replaceAll(by: [.setAccessibilityLabel(options.accessibilityLabel)])
        if let hit {
            if calls.endsLoading { calls.append(.setLoading(false)) }
            calls.append(.setImage(hit.image, .none, badge: badge(hit)))
            calls.appendCompletion(.success(hit))
            return .stop
        }
        if case .none = options.placeholder {
            calls.append(.clear)
        } else {
            calls.append(.setPlaceholder(options.placeholder))
        }
        calls.append(.setLoading(true))
        return isSuspended ? .stop : .start
    }

    /// What was held begins, unless it must wait for its view.
    mutating func release() -> LoadAction {
        guard isSuspended, !mustWaitForView else { return .keep }
        isSuspended = false
        return .start
    }

    private var mustWaitForView: Bool { !isVisible && style.offScreenPolicy == .cancels }

    /// The view is reused: it shows nothing and waits for nothing.
    mutating func reset() {
        close()
        if calls.endsLoading { calls.append(.setLoading(false)) }
        calls.append(.clear)
    }

    /// The view or its target is gone: no call is made any more.
    mutating func close() {
        token.request += 1
        token.load += 1
        (source, identity, isLoading, isSuspended, hasPreview) = (nil, nil, false, false, false)
        calls.replaceAll(by: [])
    }

    /// The load goes no further, what is shown stays. The same request may begin again.
    mutating func cancel() {
        token.request += 1
        token.load += 1
        // An image that has come and is not shown yet is dropped with its completion, as if it were still loading.
        if calls.dropResults() || isLoading { identity = nil }
        (isLoading, isSuspended) = (false, false)
        if calls.endsLoading { calls.append(.setLoading(false)) }
    }

    /// The view came on screen, or went off it. What it shows does not change.
    mutating func setVisible(_ isVisible: Bool) -> LoadAction {
        guard isVisible != self.isVisible else { return .keep }
        self.isVisible = isVisible
        guard isLoading else { return .keep }
        switch style.offScreenPolicy {
        case .keepsPriority: return .keep
        case .lowersPriority: return .setPriority(effectivePriority)
        case .cancels:
            token.load += 1
            isSuspended = !isVisible
            return isVisible ? .start : .stop
        }
    }

    /// How urgent the load is while the view is on screen.
    mutating func setPriority(_ priority: LoadPriority) -> LoadAction {
        self.priority = priority
        return isLoading && !isSuspended ? .setPriority(effectivePriority) : .keep
    }

    /// An event of the load that `token` names; a stale one adds no calls.
    mutating func receive(_ event: LoadEvent, _ token: Token) {
        guard token == self.token, isLoading, !isSuspended else { return }
        switch event {
        case .progress(let progress): calls.appendResult(.setProgress(progress))
        case .preview(let image):
            hasPreview = true
            calls.appendResult(.setImage(image, .none, badge: nil))
        case .finished(let result):
            isLoading = false
            calls.appendResult(.setLoading(false))
            switch result {
            case .success(let response):
                // A preview has led up to the image already; a second fade would flicker.
                let transition = hasPreview ? .none : style.transition
                calls.appendResult(.setImage(response.image, transition, badge: badge(response)))
                calls.appendCompletion(result)
            case .failure(.cancelled): identity = nil
            case .failure(.failed(let error)):
                if let image = style.failureImage { calls.appendResult(.setImage(image, .none, badge: nil)) }
                calls.appendResult(.setFailure(error))
                calls.appendCompletion(result)
            }
        }
    }

    /// Whether the caller is to make the calls to the view, with ``nextStep()``.
    mutating func startCalls() -> Bool { calls.start() }

    /// What to do next about the view.
    mutating func nextStep() -> CallQueue.Step? {
        let step = calls.next()
        // Now that the view shows the failure, the same request may be tried again; its completion may do so.
        if case .complete(.failure) = step { identity = nil }
        return step
    }

    /// With respect to whether the view is on screen.
    var effectivePriority: LoadPriority {
        isVisible || style.offScreenPolicy == .keepsPriority ? priority : min(priority, .veryLow)
    }

    private func badge(_ response: ImageResponse) -> CacheTier? { style.showsTierBadge ? response.tier : nil }

    static func identity(_ request: ImageRequest, _ options: LoadOptions) -> Identity {
        var parts = options.targetSize.map { ["\($0),\(options.contentMode.rawValue)"] } ?? [""]
        if !options.appliesOrientation { parts.append("as-stored") }
        if options.allowsPartial { parts.append("partial") }
        // With their lengths, so that no two lists of identifiers read the same.
        parts += options.processors.map { "\($0.identifier.utf8.count):\($0.identifier)" }
        return Identity(resource: request.resource, headers: options.headers, variant: parts.joined(separator: "|"))
    }
}
