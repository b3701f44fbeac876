/// A view on the main actor whose methods do not suspend, such as one of GTK, UIKit, AppKit or SwiftUI.
///
/// Has the requirements of ``ImageViewAdapter``, without `async`. A target can therefore show a hit in the memory cache
/// before its call returns, so that a list does not show placeholders for cached images.
///
/// ```swift
/// @MainActor final class Frame: MainActorImageView {
///     private(set) var shown: DecodedImage?
///     func setImage(_ image: DecodedImage, transition: ImageTransition) { shown = image }
///     func setPlaceholder(_ placeholder: Placeholder) { shown = nil }
///     func clear() { shown = nil }
/// }
/// ```
@MainActor public protocol MainActorImageView: ImageViewAdapter {
    /// Shows an image: a preview, the loaded image or the failure image.
    func setImage(_ image: DecodedImage, transition: ImageTransition)
    /// Shows a frame of the animation of the image that was set last. Calls ``setImage(_:transition:)`` without a
    /// transition by default.
    func setFrame(_ image: DecodedImage)
    /// Reports that the last frame of the animation has been shown for its time. Does nothing by default.
    func animationLoopEnded(_ state: AnimationPlaybackState)
    /// Shows nothing, because a load begins without a placeholder or the view is reused.
    func clear()
    /// Shows a placeholder while a load runs: an image or a colour.
    func setPlaceholder(_ placeholder: Placeholder)
    /// Shows whether a load runs. Does nothing by default.
    func setLoading(_ isLoading: Bool)
    /// Shows the progress of the load. Does nothing by default.
    func setProgress(_ progress: LoadProgress)
    /// Shows that the load failed. Does nothing by default.
    func setFailure(_ error: ImageError)
    /// Sets the label that a screen reader speaks. Does nothing by default.
    func setAccessibilityLabel(_ label: String?)
    /// Sets the options of plug-ins of the request that begins. Does nothing by default.
    func setExtraOptions(_ options: ExtraOptions)
    /// Shows a badge over the image that comes next, and returns whether it does; `false` by default.
    func setTierBadge(_ tier: CacheTier?) -> Bool
    /// Whether the user prefers reduced motion; `false` by default.
    func prefersReducedMotion() -> Bool
    /// The size that the view has for its image; ``ViewImageSize/unlimited`` by default.
    func imageSize() -> ViewImageSize
}

extension MainActorImageView {
    /// Calls ``setImage(_:transition:)`` without a transition.
    public func setFrame(_ image: DecodedImage) { setImage(image, transition: .none) }
}
