/// A view on the main actor whose methods do not suspend, such as one of GTK, UIKit, AppKit or SwiftUI.
///
/// Has the requirements of ``ImageViewAdapter``, without `async`. A target can therefore show a hit in the memory cache before
/// its call returns, so that a list does not show placeholders for cached images.
///
/// ```swift
/// @MainActor final class Frame: MainActorImageView {
///     private(set) var shown: DecodedImage?
///     func setImage(_ image: DecodedImage, transition: Transition) { shown = image }
///     func setPlaceholder(_ placeholder: Placeholder) { shown = nil }
///     func clear() { shown = nil }
/// }
/// ```
@MainActor public protocol MainActorImageView: ImageViewAdapter {
    func setImage(_ image: DecodedImage, transition: Transition)
    func clear()
    func setPlaceholder(_ placeholder: Placeholder)
    func setLoading(_ isLoading: Bool)
    func setProgress(_ progress: LoadProgress)
    func setFailure(_ error: ImageError)
    func setAccessibilityLabel(_ label: String?)
    func prefersReducedMotion() -> Bool
}
