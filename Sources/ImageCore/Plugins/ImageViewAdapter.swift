/// A view of any UI framework, as a target uses it.
///
/// The requirements are `async`, so that a main-actor view and an actor can both conform with synchronous methods: each
/// adapter has its own isolation. The target calls them one at a time and in order, those that return an answer too;
/// while a call suspends, the next one waits. It begins no call for a request that was replaced. Of the progress and
/// the previews that arrive while it waits, it passes on only the newest.
///
/// **Cancelling**: does not apply; each call should return soon.
///
/// **Errors**: none; show what is possible.
///
/// **Must not**: start or cancel loads from inside a call, return before the image is shown, or keep an image after
/// ``clear()``.
///
/// ```swift
/// actor Frame: ImageViewAdapter {
///     private(set) var shown: DecodedImage?
///     func setImage(_ image: DecodedImage, transition: ImageTransition) { shown = image }
///     func setPlaceholder(_ placeholder: Placeholder) {
///         if case .image(let image) = placeholder { shown = image } else { shown = nil }
///     }
///     func clear() { shown = nil }
/// }
/// ```
public protocol ImageViewAdapter: AnyObject, Sendable {
    /// Shows an image: a preview, the loaded image or the failure image.
    func setImage(_ image: DecodedImage, transition: ImageTransition) async
    /// Shows a frame of the animation of the image that was set last. Calls ``setImage(_:transition:)`` without a
    /// transition by default.
    func setFrame(_ image: DecodedImage) async
    /// Reports that the last frame of the animation has been shown for its time: ``AnimationPlaybackState/isOver`` says
    /// whether it stays. While a call suspends, only the newest report waits. Does nothing by default.
    func animationLoopEnded(_ state: AnimationPlaybackState) async
    /// Shows nothing, because a load begins without a placeholder or the view is reused.
    func clear() async
    /// Shows a placeholder while a load runs: an image or a colour. Never `.none`, and never a hash, which is drawn to
    /// an image before.
    func setPlaceholder(_ placeholder: Placeholder) async
    /// Shows whether a load runs, for example with a spinner. Does nothing by default.
    func setLoading(_ isLoading: Bool) async
    /// Shows the progress of the load. Does nothing by default.
    func setProgress(_ progress: LoadProgress) async
    /// Shows that the load failed. The failure image, if there is one, was set just before. Does nothing by default.
    func setFailure(_ error: ImageError) async
    /// Sets the label that a screen reader speaks. Does nothing by default.
    func setAccessibilityLabel(_ label: String?) async
    /// Sets the options of plug-ins of the request that begins. Called before all other calls for the request, if it or
    /// the request before has any. Does nothing by default.
    func setExtraOptions(_ options: ExtraOptions) async
    /// Shows a badge over the image that the next call of ``setImage(_:transition:)`` sets, or none for `nil`; see
    /// ``LoadOptions/showsTierBadge``. A placeholder and ``clear()`` have no badge.
    ///
    /// - Returns: whether the view shows badges. If `false`, the default, the target draws the badge into the image.
    func setTierBadge(_ tier: CacheTier?) async -> Bool
    /// Whether the user prefers reduced motion; `false` by default. If `true`, images are set without a transition, and
    /// animations show their first frame. The target asks before each motion, and in its `motionPreferenceChanged()`.
    func prefersReducedMotion() async -> Bool
    /// The size that the view has for its image; ``ViewImageSize/unlimited`` by default. The target asks when a request
    /// begins whose options set no target size, and in its `viewSizeChanged()`. A request that comes during another
    /// call begins with the last answer, and the target asks after that call. It enters the view's actor for the
    /// answer, unless it was called there or the method is `nonisolated`, as the default is.
    func imageSize() async -> ViewImageSize
}

extension ImageViewAdapter {
    /// Calls ``setImage(_:transition:)`` without a transition.
    public func setFrame(_ image: DecodedImage) async { await setImage(image, transition: .none) }
}

// The defaults are synchronous: in an asynchronous context, overload resolution would prefer an `async` default to a
// synchronous method of the actor itself.
extension ImageViewAdapter {
    /// Does nothing.
    public func animationLoopEnded(_ state: AnimationPlaybackState) {}
    /// Does nothing.
    public func setLoading(_ isLoading: Bool) {}
    /// Does nothing.
    public func setProgress(_ progress: LoadProgress) {}
    /// Does nothing.
    public func setFailure(_ error: ImageError) {}
    /// Does nothing.
    public func setAccessibilityLabel(_ label: String?) {}
    /// Does nothing.
    public func setExtraOptions(_ options: ExtraOptions) {}
    /// Returns `false`.
    public func setTierBadge(_ tier: CacheTier?) -> Bool { false }
    /// Returns `false`.
    public func prefersReducedMotion() -> Bool { false }
    /// Returns ``ViewImageSize/unlimited``.
    public func imageSize() -> ViewImageSize { .unlimited }
}
