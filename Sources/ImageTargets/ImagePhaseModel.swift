public import ImageCore

/// Where a view's image stands.
public enum ImagePhase: Sendable {
    /// Nothing was asked for.
    case empty
    /// On its way; bytes so far, where they are known.
    case loading(LoadProgress?)
    /// A preview or the image.
    case success(DecodedImage)
    case failure(ImageError)
}

/// What a view of the phases is made from: keeps the phase of one binding, on any platform.
///
/// ```swift
/// @MainActor func phases(of url: URL, loader: any ImageProviding) -> ImagePhaseModel {
///     let model = ImagePhaseModel(loader: loader)
///     model.onChange = { phase in print(phase) }
///     model.show(ImageRequest(url: url))
///     return model
/// }
/// ```
@MainActor public final class ImagePhaseModel: MainActorImageView {
    /// The phase now.
    public private(set) var phase = ImagePhase.empty { didSet { onChange?(phase) } }
    /// How the last image asks to be gone over to.
    public private(set) var transition = Transition.none
    /// Shown while the phase is `loading`.
    public private(set) var placeholder = Placeholder.none
    public private(set) var accessibilityLabel: String?
    /// Called on the main actor after each change.
    public var onChange: ((ImagePhase) -> Void)?
    /// Whether the user prefers less motion.
    public var isMotionReduced = false

    private let loader: any ImageProviding
    private lazy var target = ImageTarget(self, loader: loader)

    public init(loader: any ImageProviding) { self.loader = loader }

    /// Shows the image of a request. The completion is called once, unless the request is replaced, repeated or given up.
    public func show(_ request: ImageRequest, completion: ImageTarget<ImagePhaseModel>.MainActorCompletion? = nil) {
        target.setImage(request, completion: completion)
    }

    /// The view came on screen, or went off it.
    public func setVisible(_ isVisible: Bool) { target.setVisible(isVisible) }

    /// Stops loading and shows nothing.
    public func reset() { target.clear() }

    public func setImage(_ image: DecodedImage, transition: Transition) {
        self.transition = transition
        phase = .success(image)
    }

    public func clear() { (placeholder, phase) = (.none, .empty) }

    public func setPlaceholder(_ placeholder: Placeholder) { (self.placeholder, phase) = (placeholder, .loading(nil)) }

    public func setLoading(_ isLoading: Bool) {
        if isLoading, case .empty = phase { phase = .loading(nil) }
        if !isLoading, case .loading = phase { phase = .empty }
    }

    public func setProgress(_ progress: LoadProgress) { if case .loading = phase { phase = .loading(progress) } }
    public func setFailure(_ error: ImageError) { phase = .failure(error) }
    public func setAccessibilityLabel(_ label: String?) { accessibilityLabel = label }
    public func prefersReducedMotion() -> Bool { isMotionReduced }
}
