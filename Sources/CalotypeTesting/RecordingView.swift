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

    public init() {}

    /// Everything shown, in order.
    public nonisolated var shown: [Shown] { log.events }

    /// Returns when what was shown so far satisfies a condition.
    public nonisolated func wait(until condition: @escaping @Sendable ([Shown]) -> Bool) async {
        await log.wait(until: condition)
    }

    public func setImage(_ image: DecodedImage, transition: Transition) {
        log.append(.image(red: TestPictures.pixel(of: image, x: 0, y: 0)[0], transition))
    }

    public func clear() { log.append(.cleared) }

    public func setPlaceholder(_ placeholder: Placeholder) {
        switch placeholder {
        case .none: log.append(.placeholder("none"))
        case .image: log.append(.placeholder("image"))
        case .color: log.append(.placeholder("color"))
        }
    }

    public func setLoading(_ isLoading: Bool) { log.append(.loading(isLoading)) }
    public func setProgress(_ progress: LoadProgress) { log.append(.progress(progress)) }
    public func setFailure(_ error: ImageError) { log.append(.failure(error.code)) }
    public func setAccessibilityLabel(_ label: String?) { log.append(.label(label)) }
}
