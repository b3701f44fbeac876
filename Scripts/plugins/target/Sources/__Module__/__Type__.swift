import ImageCore
import ImageTargets

/// Shows images in a view of a toolkit on the main actor. A view on another actor conforms to `ImageViewAdapter`.
@MainActor public final class __Type__: MainActorImageView {
    // Replace these by the toolkit's view. The tests read them.
    private(set) var image: DecodedImage?
    private(set) var color: [UInt8] = []
    private(set) var (isLoading, hasFailed, label) = (false, false, "")

    /// Creates a view that shows nothing.
    public init() {}

    public func setImage(_ image: DecodedImage, transition: ImageTransition) {
        // A preview, the image, or the failure image; removes the sign of an earlier failure.
    }

    public func setPlaceholder(_ placeholder: Placeholder) {
        // `.image` or `.color`; removes the sign of an earlier failure, too.
    }

    public func clear() {
        // The view shows nothing, and keeps no image.
    }

    public func setLoading(_ isLoading: Bool) {}

    public func setFailure(_ error: ImageError) {
        // A sign in addition to the failure image, which was set before.
    }

    public func setAccessibilityLabel(_ label: String?) {}
}
