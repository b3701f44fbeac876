import CalotypeTesting
import ImageCore
import ImageTargets
import Testing

/// Requests that come while a call to the view is suspended.
@Suite(.timeLimit(.minutes(1))) struct SuspendedCalls {
    private let provider = ScriptedProvider()
    private let recording = RecordingView()
    private let view: SuspendingView<RecordingView>
    private let target: ImageTarget<SuspendingView<RecordingView>>
    private let gate = Gate()

    init() {
        view = SuspendingView(recording)
        target = ImageTarget(view, loader: provider)
    }

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(url: URL(string: "test://\(name)")!)
        change(&request.options)
        return request
    }

    /// Suspends the view while it sets an image of red 1.
    private func suspendView(_ completion: ImageTarget<SuspendingView<RecordingView>>.Completion? = nil) async throws {
        await view.holdImages(at: gate)
        await target.setImage(request("a"), completion: completion)
        try provider.loads[0].succeed(TestImages.solid(red: 1))
        await gate.waitForArrivals(1)
        #expect(recording.shown == [.label(nil), .cleared, .loading(true), .loading(false)])
    }

    private func resumeView() async {
        gate.open()
        while target.isCallingView, !Task.isCancelled { await Task.yield() }
        #expect(view.overlaps.events.isEmpty)
    }

    @Test func theCallsOfANewerRequestFollowTheSuspendedCall() async throws {
        try await suspendView { _ in Issue.record("The completion of a replaced request was called.") }
        await target.setImage(request("b") { $0.placeholder = .color(red: 0, green: 1, blue: 0, alpha: 1) }) { _ in
            Issue.record("The completion of a cancelled request was called.")
        }
        #expect(provider.loads.count == 2)
        await target.cancel()
        #expect(provider.loads[1].isCancelled)
        #expect(recording.shown.count == 4)
        await resumeView()
        #expect(
            recording.shown.dropFirst(4) == [
                .image(red: 1, .none), .label(nil), .placeholder("color"), .loading(true), .loading(false),
            ])
        #expect(await recording.appearance.color == [0, 255, 0])
    }

    @Test func noQuestionOverlapsWithASuspendedCall() async throws {
        let (recording, clock) = (InquiringView(size: 40), ManualClock())
        let view = SuspendingView(recording)
        let target = ImageTarget(view, loader: provider)
        await view.holdImages(at: gate)
        await target.setImage(request("a"))
        try provider.loads[0].succeed(animated(clock))
        await gate.waitForArrivals(1)
        await target.viewSizeChanged()
        await target.motionPreferenceChanged()
        // The view cannot be asked now, so that the load begins with the size that it had before.
        await recording.resize(to: 50)
        await target.setImage(
            request("b") {
                $0.showsTierBadge = true
                $0.transition = .fade(.seconds(1))
                $0[Caption.self] = "sea"
            })
        #expect(provider.loads.map(\.request.options.targetSize?.width) == [40, 40])
        gate.open()
        // The load for the new size begins after the call that told it.
        while target.isCallingView || provider.loads.count < 3, !Task.isCancelled { await Task.yield() }
        try #require(provider.loads.map(\.isCancelled) == [false, true, false])
        #expect(provider.loads[2].request.options.targetSize?.width == 50)
        try provider.loads[2].succeed(animated(clock))
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(100))
        await recording.calls.wait { $0.contains("setFrame") }
        await target.clear()
        while target.isCallingView, !Task.isCancelled { await Task.yield() }
        #expect(view.overlaps.events.isEmpty)
        #expect(
            recording.calls.events.filter { $0 != "setFrame" } == [
                "imageSize", "clear", "prefersReducedMotion", "setTierBadge", "setImage",
                "setExtraOptions", "imageSize", "clear", "prefersReducedMotion", "setTierBadge", "setImage", "clear",
            ])
    }

    @Test func aRequestThatIsReplacedWhileTheViewTellsItsSizeStartsNoLoad() async {
        let sizeGate = Gate()
        let view = SuspendingView(InquiringView(size: 40, heldAt: sizeGate))
        let target = ImageTarget(view, loader: provider)
        async let first: Void = target.setImage(request("a")) { _ in
            Issue.record("The completion of a replaced request was called.")
        }
        await sizeGate.waitForArrivals(1)
        await target.setImage(request("b"))
        await target.setImage(request("b")) { _ in Issue.record("The completion of a repeated request was called.") }
        sizeGate.open()
        await first
        #expect(provider.loads.map(\.request.resource) == [request("b").resource])
        #expect(view.overlaps.events.isEmpty)
    }

    @Test func aRequestThatIsCancelledWhileTheViewTellsItsSizeCanBeMadeAgain() async {
        let sizeGate = Gate()
        let view = SuspendingView(InquiringView(size: 40, heldAt: sizeGate))
        let target = ImageTarget(view, loader: provider)
        async let first: Void = target.setImage(request("a"))
        await sizeGate.waitForArrivals(1)
        await target.cancel()
        sizeGate.open()
        await first
        #expect(provider.loads.isEmpty)
        await target.setImage(request("a"))
        #expect(provider.loads.count == 1 && view.overlaps.events.isEmpty)
    }

    @Test func pendingCallsOfAnOlderRequestAreDropped() async throws {
        try await suspendView()
        for name in ["b", "c"] { await target.setImage(request(name) { $0.accessibilityLabel = name }) }
        let hit = request("d")
        provider.cache(try TestImages.solid(red: 4), for: hit)
        let completed = EventLog<CacheTier?>()
        await target.setImage(hit) { completed.append(try? $0.get().tier) }
        #expect(completed.events.isEmpty)
        await resumeView()
        while completed.count == 0, !Task.isCancelled { await Task.yield() }
        #expect(completed.events == [.memory])
        #expect(recording.shown.dropFirst(4) == [.image(red: 1, .none), .label(nil), .image(red: 4, .none)])
    }

    @Test func aViewThatIsClearedWhileAnImageIsSetShowsNothingAfterwards() async throws {
        try await suspendView { _ in Issue.record("The completion of a cleared target was called.") }
        await target.clear()
        await resumeView()
        #expect(recording.shown.dropFirst(4) == [.image(red: 1, .none), .cleared])
        #expect(target.currentSource == nil)
    }

    @Test func cancellingDropsALoadedImageThatIsNotShownYet() async throws {
        try await suspendView()
        await target.setImage(request("b")) { _ in Issue.record("The completion of a cancelled request was called.") }
        try provider.loads[1].succeed(TestImages.solid(red: 2))
        await target.cancel()
        await resumeView()
        #expect(
            recording.shown.dropFirst(4) == [.image(red: 1, .none), .label(nil), .cleared, .loading(true), .loading(false)])
    }

    @Test func aCancelledImageThatWasNotShownYetCanBeRequestedAgain() async throws {
        try await suspendView()
        await target.setImage(request("b")) { _ in Issue.record("The completion of a cancelled request was called.") }
        try provider.loads[1].succeed(TestImages.solid(red: 2))
        await target.cancel()
        let completed = EventLog<Void>()
        await target.setImage(request("b")) { _ in completed.append(()) }
        try #require(provider.loads.count == 3)
        try provider.loads[2].succeed(TestImages.solid(red: 3))
        await resumeView()
        while completed.count == 0, !Task.isCancelled { await Task.yield() }
        #expect(recording.shown.suffix(2) == [.loading(false), .image(red: 3, .none)])
        #expect(!recording.shown.contains(.image(red: 2, .none)))
    }

    @Test func progressAndPreviewsDoNotPileUpWhileAnImageIsSet() async throws {
        try await suspendView()
        await target.setImage(request("b"))
        for number in 1...9 {
            var preview = try TestImages.solid(red: UInt8(10 + number))
            preview.isPreview = true
            provider.loads[1].send(.progress(LoadProgress(received: number, expected: 9)))
            provider.loads[1].send(.preview(preview))
        }
        try provider.loads[1].succeed(TestImages.solid(red: 2))
        await resumeView()
        await recording.wait { $0.last == .image(red: 2, .none) }
        #expect(
            recording.shown.dropFirst(4) == [
                .image(red: 1, .none), .label(nil), .cleared, .loading(true),
                .progress(LoadProgress(received: 9, expected: 9)), .image(red: 19, .none), .loading(false),
                .image(red: 2, .none),
            ])
    }

    @Test func aTargetThatIsReleasedDuringACallMakesNoMoreCalls() async throws {
        await view.holdImages(at: gate)
        weak var loader: ScriptedProvider?
        do {
            let provider = ScriptedProvider()
            loader = provider
            let target = ImageTarget(view, loader: provider)
            await target.setImage(request("a")) { _ in Issue.record("The completion of a released target was called.") }
            try provider.loads[0].succeed(TestImages.solid(red: 1))
            await gate.waitForArrivals(1)
            await target.setImage(request("b"))
        }
        gate.open()
        // The loop that makes the calls retains the loader.
        while loader != nil, !Task.isCancelled { await Task.yield() }
        #expect(recording.shown.dropFirst(4) == [.image(red: 1, .none)])
    }

    /// The target calls `prefersReducedMotion()`, which may suspend, before it sets the image.
    @Test func anImageIsNotShownIfTheTargetIsClearedWhileTheViewSaysWhetherItPrefersReducedMotion() async throws {
        let view = SlowPreferenceView()
        let target = ImageTarget(view, loader: provider)
        await target.setImage(request("a") { $0.transition = .fade(.seconds(1)) })
        try provider.loads[0].succeed(TestImages.solid(red: 1))
        await view.gate.waitForArrivals(1)
        await target.clear()
        view.gate.open()
        while target.isCallingView, !Task.isCancelled { await Task.yield() }
        #expect(await view.calls == ["clear", "clear"])
    }

    @Test @MainActor func aRequestFromWithinACallOrACompletionFollowsIt() throws {
        let view = ChainingView()
        let target = ImageTarget(view, loader: provider)
        for (index, name) in ["a", "b", "c"].enumerated() {
            provider.cache(try TestImages.solid(red: UInt8(index)), for: request(name))
        }
        // A request from a completion is shown at once, and a request from a call after that call.
        view.onImage = { red in
            if red == 1 { target.setImage(self.request("c")) }
            view.events.append("end \(red)")
        }
        target.setImage(request("a")) { _ in
            target.setImage(self.request("b"))
            view.events.append("completed")
        }
        #expect(view.events == ["image 0", "end 0", "image 1", "end 1", "image 2", "end 2", "completed"])
    }
}

private enum Caption: OptionKey { static let defaultValue = "none" }

private func animated(_ clock: ManualClock) throws -> DecodedImage {
    struct Frames: AnimationFrames {
        let image: DecodedImage
        let durations = Array(repeating: Duration.milliseconds(100), count: 2)
        var loopCount: Int { 0 }
        var byteCount: Int { 0 }
        func frame(at index: Int) async throws -> DecodedImage { image }
    }
    var image = try TestImages.solid()
    image.animation = AnimatedImage(Frames(image: image), clock: clock)
    return image
}

/// Records the names of its calls, except for those without an effect.
private actor InquiringView: ImageViewAdapter {
    nonisolated let calls = EventLog<String>()
    private let gate: Gate?
    private var size: Int
    init(size: Int, heldAt gate: Gate? = nil) { (self.size, self.gate) = (size, gate) }
    func resize(to size: Int) { self.size = size }
    func setImage(_ image: DecodedImage, transition: ImageTransition) { calls.append("setImage") }
    func setFrame(_ image: DecodedImage) { calls.append("setFrame") }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() { calls.append("clear") }
    func setExtraOptions(_ options: ExtraOptions) { calls.append("setExtraOptions") }
    func setTierBadge(_ tier: CacheTier?) -> Bool {
        calls.append("setTierBadge")
        return true
    }
    func prefersReducedMotion() -> Bool {
        calls.append("prefersReducedMotion")
        return false
    }
    func imageSize() async -> ViewImageSize {
        calls.append("imageSize")
        try? await gate?.pass()
        return .box(PixelSize(width: size, height: size), .fill)
    }
}

/// Suspends before it says whether it prefers reduced motion.
private actor SlowPreferenceView: ImageViewAdapter {
    nonisolated let gate = Gate()
    private(set) var calls: [String] = []
    func setImage(_ image: DecodedImage, transition: ImageTransition) { calls.append("image") }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() { calls.append("clear") }
    func prefersReducedMotion() async -> Bool {
        try? await gate.pass()
        return false
    }
}

@MainActor private final class ChainingView: MainActorImageView {
    var events: [String] = []
    var onImage: (UInt8) -> Void = { _ in }
    func setImage(_ image: DecodedImage, transition: ImageTransition) {
        let red = TestImages.pixel(of: image, x: 0, y: 0)[0]
        events.append("image \(red)")
        onImage(red)
    }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() {}
}
