internal import ImageCore

/// One call to a view: a method of ``ImageViewAdapter`` and its arguments.
enum ViewCall: Sendable {
    /// An image, and the tier to draw into it as a badge.
    case setImage(DecodedImage, Transition, badge: CacheTier?)
    case clear
    case setPlaceholder(Placeholder)
    case setLoading(Bool)
    case setProgress(LoadProgress)
    case setFailure(ImageError)
    case setAccessibilityLabel(String?)

    /// Makes the call. Must not begin before the call before it has returned.
    func make(on view: some ImageViewAdapter) async {
        switch self {
        case .setImage(let image, let transition, _): await view.setImage(image, transition: transition)
        case .clear: await view.clear()
        case .setPlaceholder(let placeholder): await view.setPlaceholder(placeholder)
        case .setLoading(let isLoading): await view.setLoading(isLoading)
        case .setProgress(let progress): await view.setProgress(progress)
        case .setFailure(let error): await view.setFailure(error)
        case .setAccessibilityLabel(let label): await view.setAccessibilityLabel(label)
        }
    }

    /// Makes the call within this one: a function that awaits cannot be called from one that does not.
    @MainActor func make(on view: some MainActorImageView) {
        switch self {
        case .setImage(let image, let transition, _): view.setImage(image, transition: transition)
        case .clear: view.clear()
        case .setPlaceholder(let placeholder): view.setPlaceholder(placeholder)
        case .setLoading(let isLoading): view.setLoading(isLoading)
        case .setProgress(let progress): view.setProgress(progress)
        case .setFailure(let error): view.setFailure(error)
        case .setAccessibilityLabel(let label): view.setAccessibilityLabel(label)
        }
    }

    /// The call with its image made: the badge drawn, the hash turned into a small image.
    var drawn: ViewCall {
        switch self {
        case .setImage(let image, let transition, let tier?):
            return .setImage(TierBadge(tier).drawn(on: image), transition, badge: nil)
        case .setPlaceholder(.hash(let hash)):
            return (try? hash.draw()).map { .setPlaceholder(.image($0)) } ?? .clear
        default: return self
        }
    }

    /// Whether the image comes in with a transition, which a view may not want.
    var hasTransition: Bool { if case .setImage(_, let transition, _) = self { transition != .none } else { false } }

    var withoutTransition: ViewCall {
        if case .setImage(let image, _, let badge) = self { .setImage(image, .none, badge: badge) } else { self }
    }

    /// Whether a newer call of the same kind makes this one pointless: the progress and the previews of a load.
    func isReplaced(by newer: ViewCall) -> Bool {
        switch (self, newer) {
        case (.setProgress, .setProgress): true
        case (.setImage(let image, _, _), .setImage(let other, _, _)): image.isPreview && other.isPreview
        default: false
        }
    }
}
