internal import ImageCore

/// A call to a view: a method of ``ImageViewAdapter`` with its arguments.
enum ViewCall: Sendable {
    case imageSize
    case prefersReducedMotion
    case setTierBadge(CacheTier?)
    /// An image, its transition, and the tier whose badge is shown.
    case setImage(DecodedImage, ImageTransition, badge: CacheTier?)
    /// A frame of the animation of the image.
    case setFrame(DecodedImage, badge: CacheTier?)
    case animationLoopEnded(AnimationPlaybackState)
    case clear
    case setPlaceholder(Placeholder)
    case setLoading(Bool)
    case setProgress(LoadProgress)
    case setFailure(ImageError)
    case setAccessibilityLabel(String?)
    case setExtraOptions(ExtraOptions)

    /// What a call returned.
    enum Answer: Sendable {
        case nothing
        case size(ViewImageSize)
        case isMotionReduced(Bool)
        case showsBadges(Bool)
    }

    /// Makes the call. The previous call must have returned.
    func make(on view: some ImageViewAdapter) async -> Answer {
        switch self {
        case .imageSize: return .size(await view.imageSize())
        case .prefersReducedMotion: return .isMotionReduced(await view.prefersReducedMotion())
        case .setTierBadge(let tier): return .showsBadges(await view.setTierBadge(tier))
        case .setImage(let image, let transition, _): await view.setImage(image, transition: transition)
        case .setFrame(let image, _): await view.setFrame(image)
        case .animationLoopEnded(let state): await view.animationLoopEnded(state)
        case .clear: await view.clear()
        case .setPlaceholder(let placeholder): await view.setPlaceholder(placeholder)
        case .setLoading(let isLoading): await view.setLoading(isLoading)
        case .setProgress(let progress): await view.setProgress(progress)
        case .setFailure(let error): await view.setFailure(error)
        case .setAccessibilityLabel(let label): await view.setAccessibilityLabel(label)
        case .setExtraOptions(let options): await view.setExtraOptions(options)
        }
        return .nothing
    }

    /// Makes the call without suspending, which an `async` function cannot promise to its caller.
    @MainActor func make(on view: some MainActorImageView) -> Answer {
        switch self {
        case .imageSize: return .size(view.imageSize())
        case .prefersReducedMotion: return .isMotionReduced(view.prefersReducedMotion())
        case .setTierBadge(let tier): return .showsBadges(view.setTierBadge(tier))
        case .setImage(let image, let transition, _): view.setImage(image, transition: transition)
        case .setFrame(let image, _): view.setFrame(image)
        case .animationLoopEnded(let state): view.animationLoopEnded(state)
        case .clear: view.clear()
        case .setPlaceholder(let placeholder): view.setPlaceholder(placeholder)
        case .setLoading(let isLoading): view.setLoading(isLoading)
        case .setProgress(let progress): view.setProgress(progress)
        case .setFailure(let error): view.setFailure(error)
        case .setAccessibilityLabel(let label): view.setAccessibilityLabel(label)
        case .setExtraOptions(let options): view.setExtraOptions(options)
        }
        return .nothing
    }

    /// The call with its badge drawn into its image, or its placeholder hash decoded into a small image.
    var rendered: ViewCall {
        switch self {
        case .setImage(let image, let transition, let tier?):
            return .setImage(TierBadge(tier).drawn(on: image), transition, badge: nil)
        case .setFrame(let image, let tier?): return .setFrame(TierBadge(tier).drawn(on: image), badge: nil)
        case .setPlaceholder(.hash(let hash)):
            return (try? hash.draw()).map { .setPlaceholder(.image($0)) } ?? .clear
        default: return self
        }
    }

    /// Whether the call shows something else than before.
    var changesImage: Bool {
        switch self {
        case .setImage, .clear, .setPlaceholder: true
        default: false
        }
    }

    /// Whether the call belongs to an animation, and is dropped when that stops.
    var isOfAnimation: Bool {
        switch self {
        case .setFrame, .animationLoopEnded: true
        default: false
        }
    }

    /// Whether `newer` makes this call redundant, which holds for progress, previews, frames and ends of loops.
    func isReplaced(by newer: ViewCall) -> Bool {
        switch (self, newer) {
        case (.setProgress, .setProgress), (.setFrame, .setFrame), (.animationLoopEnded, .animationLoopEnded): true
        case (.setImage(let image, _, _), .setImage(let other, _, _)): image.isPreview && other.isPreview
        default: false
        }
    }
}
