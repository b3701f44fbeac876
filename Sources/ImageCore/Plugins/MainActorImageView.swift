/// A view of the main actor whose methods return at once, as those of GTK, UIKit, AppKit and SwiftUI do.
///
/// Adds nothing to ``ImageViewAdapter`` but the promise that no call suspends. With it a target can show a memory hit
/// within the call that asks for it, so that a list never flashes its placeholder.
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
