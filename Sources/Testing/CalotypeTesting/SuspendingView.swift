public import ImageCore

/// Passes every call on to another view, suspends in it, and notes calls that begin before the one before has returned: for tests of
/// bindings, which promise one call at a time.
///
/// ```swift
/// let view = SuspendingView(RecordingView())
/// let gate = Gate()
/// await view.holdImages(at: gate)
/// // The view is in the middle of `setImage` from now until the gate opens.
/// await gate.waitForArrivals(1)
/// ```
public actor SuspendingView<View: ImageViewAdapter>: ImageViewAdapter {
    public let view: View
    /// One line for each call that began too early.
    public nonisolated let overlaps: EventLog<String>
    private var imageGate: Gate?
    private var runningCall: String?

    /// - Parameter overlaps: where overlaps are noted; several views may share it.
    public init(_ view: View, overlaps: EventLog<String> = EventLog()) { (self.view, self.overlaps) = (view, overlaps) }

    /// Every `setImage` waits at the gate before it shows its image.
    public func holdImages(at gate: Gate) { imageGate = gate }

    public func setImage(_ image: DecodedImage, transition: Transition) async {
        await call("setImage", heldAt: imageGate) { await $0.setImage(image, transition: transition) }
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

    public func prefersReducedMotion() async -> Bool {
        var answer = false
        await call("prefersReducedMotion") { answer = await $0.prefersReducedMotion() }
        return answer
    }

    private func call(_ name: String, heldAt gate: Gate? = nil, _ body: (View) async -> Void) async {
        if let runningCall { overlaps.append("\(name) began before \(runningCall) had returned") }
        runningCall = name
        await Task.yield()
        try? await gate?.pass()
        await body(view)
        runningCall = nil
    }
}
