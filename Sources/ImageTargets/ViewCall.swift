internal import ImageCore

/// A call to a view: a method of ``ImageViewAdapter`` with its arguments.
enum ViewCall: Sendable {
    /// An image, its transition, and the tier whose badge is shown.
    case setImage(DecodedImage, Transition, badge: CacheTier?)
    /// A frame of the animation of the image.
    case setFrame(DecodedImage, badge: CacheTier?)
    case clear
    case setPlaceholder(Placeholder)
    case setLoading(Bool)
    case setProgress(LoadProgress)
    case setFailure(ImageError)
    case setAccessibilityLabel(String?)
    case setExtraOptions(ExtraOptions)

    /// Makes the call. The previous call must have returned.
    func make(on view: some ImageViewAdapter) async {
        switch self {
        case .setImage(let image, let transition, _): await view.setImage(image, transition: transition)
        case .setFrame(let image, _): await view.setFrame(image)
        case .clear: await view.clear()
        case .setPlaceholder(let placeholder): await view.setPlaceholder(placeholder)
        case .setLoading(let isLoading): await view.setLoading(isLoading)
        case .setProgress(let progress): await view.setProgress(progress)
        case .setFailure(let error): await view.setFailure(error)
        case .setAccessibilityLabel(let label): await view.setAccessibilityLabel(label)
        case .setExtraOptions(let options): await view.setExtraOptions(options)
        }
    }

    /// Makes the call without suspending.
    @MainActor func make(on view: some MainActorImageView) {
        switch self {
        case .setImage(let image, let transition, _): view.setImage(image, transition: transition)
        case .setFrame(let image, _): view.setFrame(image)
        case .clear: view.clear()
        case .setPlaceholder(let placeholder): view.setPlaceholder(placeholder)
        case .setLoading(let isLoading): view.setLoading(isLoading)
        case .setProgress(let progress): view.setProgress(progress)
        case .setFailure(let error): view.setFailure(error)
        case .setAccessibilityLabel(let label): view.setAccessibilityLabel(label)
        case .setExtraOptions(let options): view.setExtraOptions(options)
        }
    }

    /// The call with the badge of a frame drawn into it, or its placeholder hash decoded into a small image.
    var rendered: ViewCall {
        switch self {
        case .setFrame(let image, let tier?): return .setFrame(TierBadge(tier).drawn(on: image), badge: nil)
        case .setPlaceholder(.hash(let hash)):
            return (try? hash.draw()).map { .setPlaceholder(.image($0)) } ?? .clear
        default: return self
        }
    }

    /// The call with its badge drawn into the image, for a view that shows no badges.
    var withDrawnBadge: ViewCall {
        guard case .setImage(let image, let transition, let tier?) = self else { return self }
        return .setImage(TierBadge(tier).drawn(on: image), transition, badge: nil)
    }

    /// Whether the call shows an image with a transition.
    var hasTransition: Bool { if case .setImage(_, let transition, _) = self { transition != .none } else { false } }

    var withoutTransition: ViewCall {
        if case .setImage(let image, _, let badge) = self { .setImage(image, .none, badge: badge) } else { self }
    }

    /// Whether the call shows something else than before.
    var changesImage: Bool {
        switch self {
        case .setImage, .clear, .setPlaceholder: true
        default: false
        }
    }

    /// The image of the call, if the view plays its animation after the call, and the badge of the frames.
    var animated: (image: DecodedImage, badge: CacheTier?)? {
        guard case .setImage(let image, _, let badge) = self, !image.isPreview, image.animation != nil else { return nil }
        return (image, badge)
    }

    /// Whether the call shows motion, which a user may not want.
    var hasMotion: Bool { hasTransition || animated != nil }

    /// Whether `newer` makes this call redundant, which holds for progress, previews and frames.
    func isReplaced(by newer: ViewCall) -> Bool {
        switch (self, newer) {
        case (.setProgress, .setProgress), (.setFrame, .setFrame): true
        case (.setImage(let image, _, _), .setImage(let other, _, _)): image.isPreview && other.isPreview
        default: false
        }
    }
}
