internal import ImageCore

/// What a view shows and which load it waits for: the binding rules as a value.
///
/// Each call is one event and returns what to do about it, in order. A newer request makes every event of an older one
/// stale; equal requests change nothing.
struct BindingState: Sendable {
    enum Effect: Sendable {
        case setImage(DecodedImage, Transition)
        case clear
        case setPlaceholder(Placeholder)
        case setLoading(Bool)
        case setProgress(LoadProgress)
        case setFailure(ImageError)
        case setAccessibilityLabel(String?)
        case complete(Result<ImageResponse, LoadFailure>)
    }

    /// Names one request of the binding; those of replaced requests are stale.
    typealias Token = UInt64

    /// What makes two requests the same for a target.
    private struct Identity: Hashable {
        let resource: ResourceKey
        let variant: String
    }

    private(set) var token: Token = 0
    private(set) var source: ImageSource?
    private var identity: Identity?
    private var style: LoadOptions = LoadOptions()
    private var isLoading = false
    private var hasPreview = false

    /// Whether a request for `request` would change nothing: the same image is shown, or on its way.
    func isSame(_ request: ImageRequest, options: LoadOptions) -> Bool {
        identity == Identity(resource: request.resource, variant: BindingState.variant(options))
    }

    /// A new request replaces what was there. With a memory hit the image shows at once: no placeholder, no transition.
    mutating func begin(_ request: ImageRequest, options: LoadOptions, hit: ImageResponse?) -> [Effect] {
        let wasLoading = isLoading
        token += 1
        source = request.source
        identity = Identity(resource: request.resource, variant: BindingState.variant(options))
        style = options
        hasPreview = false
        isLoading = hit == nil
        var effects: [Effect] = [.setAccessibilityLabel(options.accessibilityLabel)]
        if let hit {
            if wasLoading { effects.append(.setLoading(false)) }
            return effects + [.setImage(hit.image, .none), .complete(.success(hit))]
        }
        if case .none = options.placeholder {
            effects.append(.clear)
        } else {
            effects.append(.setPlaceholder(options.placeholder))
        }
        return effects + [.setLoading(true)]
    }

    /// The view is reused or gone: nothing is shown, nothing is waited for.
    mutating func reset() -> [Effect] {
        defer {
            token += 1
            (source, identity, isLoading, hasPreview) = (nil, nil, false, false)
        }
        return (isLoading ? [.setLoading(false)] : []) + [.clear]
    }

    /// The load goes no further, what is shown stays. Asking for the same image again starts anew.
    mutating func cancel() -> [Effect] {
        token += 1
        guard isLoading else { return [] }
        (identity, isLoading) = (nil, false)
        return [.setLoading(false)]
    }

    /// An event of the load that `token` names; a stale one has no effects.
    mutating func receive(_ event: LoadEvent, _ token: Token) -> [Effect] {
        guard token == self.token, isLoading else { return [] }
        switch event {
        case .progress(let progress): return [.setProgress(progress)]
        case .preview(let image):
            hasPreview = true
            return [.setImage(image, .none)]
        case .finished(let result):
            isLoading = false
            switch result {
            case .success(let response):
                // A preview has led up to the image already; a second fade would flicker.
                return [.setLoading(false), .setImage(response.image, hasPreview ? .none : style.transition), .complete(result)]
            case .failure(.cancelled):
                identity = nil
                return [.setLoading(false)]
            case .failure(.failed(let error)):
                // The same request may be tried again.
                identity = nil
                let image = style.failureImage.map { [Effect.setImage($0, .none)] } ?? []
                return [.setLoading(false), .setFailure(error)] + image + [.complete(result)]
            }
        }
    }

    private static func variant(_ options: LoadOptions) -> String {
        let size = options.targetSize.map { "\($0),\(options.contentMode.rawValue)" } ?? ""
        return options.processors.reduce(size) { "\($0)|\($1.identifier.utf8.count):\($1.identifier)" }
    }
}
