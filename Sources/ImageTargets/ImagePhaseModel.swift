public import ImageCore

/// The phase of the load of a view's image.
public enum ImagePhase: Sendable {
    /// There is no request.
    case empty
    /// The image is loading. The progress is `nil` until the first bytes arrive.
    case loading(LoadProgress?)
    /// A preview or the final image is available.
    case success(DecodedImage)
    /// The load failed.
    case failure(ImageError)
}

/// Keeps the phase of one load at a time, for declarative views on any platform.
///
/// ```swift
/// @MainActor func phases(of url: URL, loader: any ImageProviding) -> ImagePhaseModel {
///     let model = ImagePhaseModel(loader: loader)
///     model.onChange = { phase in print(phase) }
///     model.show(url)
///     return model
/// }
/// ```
@MainActor public final class ImagePhaseModel: MainActorImageView {
    /// The current phase.
    public private(set) var phase = ImagePhase.empty { didSet { onChange?(phase) } }
    /// The transition with which to show the last image.
    public private(set) var transition = ImageTransition.none
    /// The placeholder to show while the phase is ``ImagePhase/loading(_:)``: nothing, an image or a colour.
    public private(set) var placeholder = Placeholder.none
    /// The image to show while the phase is ``ImagePhase/failure(_:)``; `nil` if the options have none.
    public private(set) var failureImage: DecodedImage?
    /// The label of the image for screen readers; `nil` if it has none.
    public private(set) var accessibilityLabel: String?
    /// Called on the main actor after each change of the phase.
    public var onChange: ((ImagePhase) -> Void)?
    /// Called on the main actor when the last frame of an animation has been shown for its time; `nil` by default.
    public var onAnimationLoop: ((AnimationPlaybackState) -> Void)?
    /// Which frame of its animation the view shows, and how far it has played; `nil` if it shows no animation.
    public var animationState: AnimationPlaybackState? { target.animationState }
    /// Whether the user prefers reduced motion, so that images are shown without a transition and animations stay at
    /// their first frame. `false` by default.
    public var isMotionReduced = false {
        didSet { if isMotionReduced != oldValue { target.motionPreferenceChanged() } }
    }
    /// The size that the view has for its image; ``ViewImageSize/unlimited`` by default. See
    /// ``LoadOptions/sizesToTarget``.
    public var viewSize = ViewImageSize.unlimited { didSet { if viewSize != oldValue { target.viewSizeChanged() } } }

    /// Whether a load began that shows its placeholder: the image of the phase is no longer to be shown.
    private var isBlank = false
    private let loader: any ImageProviding
    private lazy var target = ImageTarget(self, loader: loader)

    /// Makes a model without a request.
    ///
    /// - Parameter loader: loads the images.
    public init(loader: any ImageProviding) { self.loader = loader }

    /// Loads the image of a request.
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - completion: called once with the result; not called if the request is replaced, repeated or cancelled. `nil`
    ///     by default.
    public func show(_ request: ImageRequest, completion: ImageTarget<ImagePhaseModel>.MainActorCompletion? = nil) {
        target.setImage(request, completion: completion)
    }

    /// Loads the image at a URL.
    ///
    /// - Parameters:
    ///   - url: the URL of the image. `nil` cancels the load; the phase is then ``ImagePhase/empty``.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    public func show(_ url: URL?, size: PixelSize? = nil, processors: [any Processing] = []) {
        guard let url else { return reset() }
        show(ImageRequest(url: url, size: size, processors: processors))
    }

    /// Plays the animation from the frame that is shown, or once more if it is over.
    public func startAnimation() { target.startAnimation() }

    /// Stops the animation at the frame that is shown.
    public func stopAnimation() { target.stopAnimation() }

    /// Reports that the view came on screen or left it; see ``LoadOptions/offScreenPolicy``.
    public func setVisible(_ isVisible: Bool) { target.setVisible(isVisible) }

    /// Cancels the load and goes back to ``ImagePhase/empty``.
    public func reset() { target.clear() }

    public func setImage(_ image: DecodedImage, transition: ImageTransition) {
        // The failure comes next, as one phase with its image.
        if case .setFailure? = nextCall { return failureImage = image }
        self.transition = transition
        isBlank = false
        phase = .success(image)
    }

    public func clear() { begin(.none, .empty) }

    public func setPlaceholder(_ placeholder: Placeholder) { begin(placeholder, .loading(nil)) }

    private func begin(_ placeholder: Placeholder, _ phase: ImagePhase) {
        (self.placeholder, failureImage, isBlank) = (placeholder, nil, true)
        // The load begins next, as one phase.
        if case .setLoading(true)? = nextCall { return }
        self.phase = phase
    }

    public func setLoading(_ isLoading: Bool) {
        if isLoading {
            // A load that makes another version of the image, or the next image for a view that keeps this one.
            if case .success = phase, !isBlank { return }
            return phase = .loading(nil)
        }
        // The result comes next. Without one, the load was cancelled.
        if case .loading = phase, nextCall == nil { phase = .empty }
    }

    public func animationLoopEnded(_ state: AnimationPlaybackState) { onAnimationLoop?(state) }

    private var nextCall: ViewCall? { target.runner.state.withLock { $0.binding.calls.nextCall } }

    public func setProgress(_ progress: LoadProgress) { if case .loading = phase { phase = .loading(progress) } }
    public func setFailure(_ error: ImageError) { phase = .failure(error) }
    public func setAccessibilityLabel(_ label: String?) { accessibilityLabel = label }
    public func prefersReducedMotion() -> Bool { isMotionReduced }
    public func imageSize() -> ViewImageSize { viewSize }
}
