public import ImageCore

/// A view that suspends in every call, passes the call to another view, and records calls that overlap.
///
/// It tests bindings, which must not begin a call before the previous one has returned.
///
/// ```swift
/// let view = SuspendingView(RecordingView())
/// let gate = Gate()
/// await view.holdImages(at: gate)
/// // After a target has set an image, `setImage` is suspended until the gate opens.
/// await gate.waitForArrivals(1)
/// ```
public actor SuspendingView<View: ImageViewAdapter>: ImageViewAdapter {
    /// The view that receives the calls.
    public let view: View
    /// A sentence for each call that began before the previous one had returned.
    public nonisolated let overlaps: EventLog<String>
    private var imageGate: Gate?
    private var runningCall: String?

    /// Creates a view.
    ///
    /// - Parameters:
    ///   - view: The view that receives the calls.
    ///   - overlaps: Where overlapping calls are recorded. Several views may share it. By default a new list.
    public init(_ view: View, overlaps: EventLog<String> = EventLog()) { (self.view, self.overlaps) = (view, overlaps) }

    /// Makes each later `setImage` pass the gate before it shows its image.
    public func holdImages(at gate: Gate) { imageGate = gate }

    public func setImage(_ image: DecodedImage, transition: ImageTransition) async {
        await call("setImage", heldAt: imageGate) { await $0.setImage(image, transition: transition) }
    }

    public func setFrame(_ image: DecodedImage) async { await call("setFrame") { await $0.setFrame(image) } }

    public func animationLoopEnded(_ state: AnimationPlaybackState) async {
        await call("animationLoopEnded") { await $0.animationLoopEnded(state) }
    }

    public func clear() async { await call("clear") { await $0.clear() } }

    public func setPlaceholder(_ placeholder: Placeholder) async {
        await call("setPlaceholder") { await $0.setPlaceholder(placeholder) }
    }

    public func setLoading(_ isLoading: Bool) async { await call("setLoading") { await $0.setLoading(isLoading) } }

    public func setProgress(_ progress: LoadProgress) async { await call("setProgress") { await $0.setProgress(progress) } }

    public func setFailure(_ error: ImageError) async { await call("setFailure") { await $0.setFailure(error) } }

    public func setAccessibilityLabel(_ label: String?) async {
        await call("setAccessibilityLabel") { await $0.setAccessibilityLabel(label) }
    }

    public func setExtraOptions(_ options: ExtraOptions) async {
        await call("setExtraOptions") { await $0.setExtraOptions(options) }
    }

    public func setTierBadge(_ tier: CacheTier?) async -> Bool {
        await call("setTierBadge") { await $0.setTierBadge(tier) }
    }

    public func prefersReducedMotion() async -> Bool {
        await call("prefersReducedMotion") { await $0.prefersReducedMotion() }
    }

    public func imageSize() async -> ViewImageSize { await call("imageSize") { await $0.imageSize() } }

    private func call<Answer>(_ name: String, heldAt gate: Gate? = nil, _ body: (View) async -> Answer) async -> Answer {
        if let runningCall { overlaps.append("\(name) began before \(runningCall) had returned") }
        runningCall = name
        defer { runningCall = nil }
        await Task.yield()
        try? await gate?.pass()
        return await body(view)
    }
}
