public import ImageCore

/// A view that records what it is told to show.
public actor RecordingView: ImageViewAdapter {
    /// One thing shown. Images are told apart by their first pixel's red.
    public enum Shown: Hashable, Sendable {
        case image(red: UInt8, Transition)
        case cleared
        case placeholder(String)
        case loading(Bool)
        case progress(LoadProgress)
        case failure(ImageError.Code)
        case label(String?)
    }

    private let log = EventLog<Shown>()

    /// What the view shows now, made up from what it was told.
    public private(set) var appearance = ViewAppearance(color: [], isLoading: false, hasFailed: false, label: "")

    public init() {}

    /// Everything shown, in order.
    public nonisolated var shown: [Shown] { log.events }

    /// Returns when what was shown so far satisfies a condition.
    public nonisolated func wait(until condition: @escaping @Sendable ([Shown]) -> Bool) async {
        await log.wait(until: condition)
    }

    public func setImage(_ image: DecodedImage, transition: Transition) {
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
