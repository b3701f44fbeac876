/// A view of any framework, as a binding sees it: a handful of things to show.
///
/// The requirements are `async` so that a main-actor view and an actor both conform with plain methods: each adapter
/// brings its own isolation. A binding calls them one at a time and in order: while a call suspends, the next one waits for its end.
/// It never begins a call for a request that was replaced, and of the progress and previews that come meanwhile it makes the newest
/// alone.
///
/// **Cancelling**: does not apply; each call should return soon.
///
/// **Errors**: there are none; show what you can.
///
/// **Must not**: start or cancel loads from inside a call, return before the image is shown, or keep an image after ``clear()``.
///
/// ```swift
/// actor Frame: ImageViewAdapter {
///     private(set) var shown: DecodedImage?
///     func setImage(_ image: DecodedImage, transition: Transition) { shown = image }
///     func setPlaceholder(_ placeholder: Placeholder) {
///         if case .image(let image) = placeholder { shown = image } else { shown = nil }
///     }
///     func clear() { shown = nil }
/// }
/// ```
public protocol ImageViewAdapter: AnyObject, Sendable {
    /// Shows a picture: a preview, a final image or a failure image.
    func setImage(_ image: DecodedImage, transition: Transition) async
    /// Shows nothing: a new load begins without placeholder, or the view is being reused.
    func clear() async
    /// Shows what stands in while a load runs: an image or a colour. Never `.none`; a hash comes as an image.
    func setPlaceholder(_ placeholder: Placeholder) async
    /// A load began or ended: a spinner, say.
    func setLoading(_ isLoading: Bool) async
    func setProgress(_ progress: LoadProgress) async
    /// The load failed. The failure image, if there is one, was set just before, so that a sign of failure may stay until
    /// the next image.
    func setFailure(_ error: ImageError) async
    func setAccessibilityLabel(_ label: String?) async
    /// Whether the user prefers less motion; images are then set without a transition.
    func prefersReducedMotion() async -> Bool
}

// Plain functions: an `async` default would win over an actor's own synchronous method wherever it is called by name in
// an asynchronous context.
extension ImageViewAdapter {
    public func setLoading(_ isLoading: Bool) {}
    public func setProgress(_ progress: LoadProgress) {}
    public func setFailure(_ error: ImageError) {}
    public func setAccessibilityLabel(_ label: String?) {}
    public func prefersReducedMotion() -> Bool { false }
}
