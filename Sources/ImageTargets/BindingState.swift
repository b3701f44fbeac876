internal import HTTPTypes
internal import ImageCore

/// What a view shows and which load it waits for: the binding rules as a value.
///
/// Each call is one event and returns what to do about it: first with the load, then with the view, in order. A newer
/// request makes every event of an older one stale; equal requests change nothing.
struct BindingState: Sendable {
    /// What the view is told.
    enum Effect: Sendable {
        /// An image, and the tier to draw into it as a badge.
        case setImage(DecodedImage, Transition, badge: CacheTier?)
        case clear
        case setPlaceholder(Placeholder)
        case setLoading(Bool)
        case setProgress(LoadProgress)
        case setFailure(ImageError)
        case setAccessibilityLabel(String?)
        case complete(Result<ImageResponse, LoadFailure>)
    }

    /// What becomes of the load that runs.
    enum LoadAction: Hashable, Sendable {
        case keep
        /// It is cancelled, and another one begun.
        case start
        case stop
        case setPriority(LoadPriority)
    }

    struct Change: Sendable {
        var load = LoadAction.keep
        var effects: [Effect] = []
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
    /// Whether the view is being told of an image that is there: calls to a view elsewhere suspend.
    private var isShowing = false

    /// Whether a request for `request` would change nothing: the same image is shown, or on its way.
    func isSame(_ request: ImageRequest, options: LoadOptions) -> Bool {
        identity == BindingState.identity(request, options)
    }

    /// A new request replaces what was there. With a memory hit the image shows at once: no placeholder, no transition. The load
    /// of a held one begins when it is released.
    mutating func begin(_ request: ImageRequest, options: LoadOptions, hit: ImageResponse?, isHeld: Bool = false) -> Change {
        let wasLoading = isLoading
        token.request += 1
        token.load += 1
        source = request.source
        identity = BindingState.identity(request, options)
        style = options
        priority = options.priority
        hasPreview = false
        isLoading = hit == nil
        isShowing = hit != nil
        isSuspended = hit == nil && (isHeld || mustWaitForView)
        var effects: [Effect] = [.setAccessibilityLabel(options.accessibilityLabel)]
        if let hit {
            if wasLoading { effects.append(.setLoading(false)) }
            effects += [.setImage(hit.image, .none, badge: badge(hit)), .complete(.success(hit))]
            return Change(load: .stop, effects: effects)
        }
        if case .none = options.placeholder {
            effects.append(.clear)
        } else {
            effects.append(.setPlaceholder(options.placeholder))
        }
        return Change(load: isSuspended ? .stop : .start, effects: effects + [.setLoading(true)])
    }

    /// What was held begins, unless it must wait for its view.
    mutating func release() -> Change {
        guard isSuspended, !mustWaitForView else { return Change() }
        isSuspended = false
        return Change(load: .start)
    }

    private var mustWaitForView: Bool { !isVisible && style.offScreenPolicy == .cancels }

    /// The view is reused or gone: nothing is shown, nothing is waited for.
    mutating func reset() -> Change {
        let effects = (isLoading ? [Effect.setLoading(false)] : []) + [.clear]
        token.request += 1
        token.load += 1
        (source, identity, isLoading, isSuspended, hasPreview, isShowing) = (nil, nil, false, false, false, false)
        return Change(load: .stop, effects: effects)
    }

    /// The load goes no further, what is shown stays. Asking for the same image again starts anew.
    mutating func cancel() -> Change {
        token.request += 1
        token.load += 1
        // Of an image that came and is not shown yet, nothing is known: the same one may be asked for again.
        if isShowing { (identity, isShowing) = (nil, false) }
        guard isLoading else { return Change(load: .stop) }
        (identity, isLoading, isSuspended) = (nil, false, false)
        return Change(load: .stop, effects: [.setLoading(false)])
    }

    /// The view came on screen, or went off it. What it shows does not change.
    mutating func setVisible(_ isVisible: Bool) -> Change {
        guard isVisible != self.isVisible else { return Change() }
        self.isVisible = isVisible
        guard isLoading else { return Change() }
        switch style.offScreenPolicy {
        case .keeps: return Change()
        case .lowers: return Change(load: .setPriority(effectivePriority))
        case .cancels:
            token.load += 1
            isSuspended = !isVisible
            return Change(load: isVisible ? .start : .stop)
        }
    }

    /// How urgent the load is while the view is on screen.
    mutating func setPriority(_ priority: LoadPriority) -> Change {
        self.priority = priority
        return Change(load: isLoading && !isSuspended ? .setPriority(effectivePriority) : .keep)
    }

    /// An event of the load that `token` names; a stale one has no effects.
    mutating func receive(_ event: LoadEvent, _ token: Token) -> [Effect] {
        guard token == self.token, isLoading, !isSuspended else { return [] }
        switch event {
        case .progress(let progress): return [.setProgress(progress)]
        case .preview(let image):
            hasPreview = true
            return [.setImage(image, .none, badge: nil)]
        case .finished(let result):
            isLoading = false
            switch result {
            case .success(let response):
                isShowing = true
                // A preview has led up to the image already; a second fade would flicker.
                let image = Effect.setImage(response.image, hasPreview ? .none : style.transition, badge: badge(response))
                return [.setLoading(false), image, .complete(result)]
            case .failure(.cancelled):
                identity = nil
                return [.setLoading(false)]
            case .failure(.failed(let error)):
                // The same request may be tried again.
                identity = nil
                let image = style.failureImage.map { [Effect.setImage($0, .none, badge: nil)] } ?? []
                return [.setLoading(false)] + image + [.setFailure(error), .complete(result)]
            }
        }
    }

    /// The view has been told of all that the current request's end brought.
    mutating func endShowing() { isShowing = false }

    /// With respect to whether the view is on screen.
    var effectivePriority: LoadPriority {
        isVisible || style.offScreenPolicy == .keeps ? priority : min(priority, .veryLow)
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
