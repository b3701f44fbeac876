public import ImageCore

/// A view that records its calls, for tests of targets.
public actor RecordingView: ImageViewAdapter {
    /// A call of the view.
    public enum Shown: Hashable, Sendable {
        /// An image, identified by the red value of its first pixel, and how it appears.
        case image(red: UInt8, ImageTransition)
        /// The view was cleared.
        case cleared
        /// A placeholder of a kind: `none`, `image`, `color` or `hash`.
        case placeholder(String)
        /// A load began (`true`) or ended.
        case loading(Bool)
        /// The progress of a load.
        case progress(LoadProgress)
        /// A load failed.
        case failure(ImageError.Code)
        /// The accessibility label was set; `nil` for none.
        case label(String?)
    }

    private let log = EventLog<Shown>()

    /// What the view shows now, as a result of its calls.
    public private(set) var appearance = ViewAppearance(color: [], isLoading: false, hasFailed: false, label: "")

    /// Creates a view that shows nothing.
    public init() {}

    /// All calls so far, in order.
    public nonisolated var shown: [Shown] { log.events }

    /// Returns as soon as the calls fulfil a condition, which may be at once. Ignores cancellation.
    ///
    /// - Parameter condition: Called with all calls after each new one. It must not use the view itself.
    public nonisolated func wait(until condition: @escaping @Sendable ([Shown]) -> Bool) async {
        await log.wait(until: condition)
    }

    public func setImage(_ image: DecodedImage, transition: ImageTransition) {
        (appearance.color, appearance.hasFailed) = (TestImages.color(of: image), false)
        log.append(.image(red: TestImages.pixel(of: image, x: 0, y: 0)[0], transition))
    }

    public func clear() {
        (appearance.color, appearance.hasFailed) = ([], false)
        log.append(.cleared)
    }

    public func setPlaceholder(_ placeholder: Placeholder) {
        appearance.hasFailed = false
        switch placeholder {
        case .none: log.append(.placeholder("none"))
        case .image(let image):
            appearance.color = TestImages.color(of: image)
            log.append(.placeholder("image"))
        case .color(let red, let green, let blue, _):
            appearance.color = [red, green, blue].map { UInt8(max(0, min(1, $0)) * 255 + 0.5) }
            log.append(.placeholder("color"))
        case .hash: log.append(.placeholder("hash"))
        }
    }

    public func setLoading(_ isLoading: Bool) {
        appearance.isLoading = isLoading
        log.append(.loading(isLoading))
    }

    public func setProgress(_ progress: LoadProgress) { log.append(.progress(progress)) }

    public func setFailure(_ error: ImageError) {
        appearance.hasFailed = true
        log.append(.failure(error.code))
    }

    public func setAccessibilityLabel(_ label: String?) {
        appearance.label = label ?? ""
        log.append(.label(label))
    }
}
