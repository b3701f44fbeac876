import CalotypeTesting
import ImageCore
import ImageTargets
import Testing

/// Requests that come while a call to the view has not returned.
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

    /// Leaves the view in the middle of showing an image of red 1.
    private func suspend(_ completion: ImageTarget<SuspendingView<RecordingView>>.Completion? = nil) async throws {
        await view.holdImages(at: gate)
        await target.setImage(request("a"), completion: completion)
        try provider.loads[0].succeed(TestImages.solid(red: 1))
        await gate.waitForArrivals(1)
        #expect(recording.shown == [.label(nil), .cleared, .loading(true), .loading(false)])
    }

    private func finish() async {
        gate.open()
        while target.isCallingView, !Task.isCancelled { await Task.yield() }
        #expect(view.overlaps.events.isEmpty)
    }

    @Test func theCallsOfANewerRequestFollowTheOneThatSuspendsAndACancelledLoadEnds() async throws {
        try await suspend { _ in Issue.record("The completion of a replaced request was called.") }
        await target.setImage(request("b") { $0.placeholder = .color(red: 0, green: 1, blue: 0, alpha: 1) }) { _ in
            Issue.record("The completion of a cancelled request was called.")
        }
        #expect(provider.loads.count == 2)
        await target.cancel()
        #expect(provider.loads[1].isCancelled)
        #expect(recording.shown.count == 4)
        await finish()
        #expect(
            recording.shown.dropFirst(4) == [
                .image(red: 1, .none), .label(nil), .placeholder("color"), .loading(true), .loading(false),
            ])
        #expect(await recording.appearance.color == [0, 255, 0])
    }

    @Test func callsOfAnOlderRequestThatHaveNotBegunAreDropped() async throws {
        try await suspend()
        for name in ["b", "c"] { await target.setImage(request(name) { $0.accessibilityLabel = name }) }
        let hit = request("d")
        provider.cache(try TestImages.solid(red: 4), for: hit)
        let completed = EventLog<CacheTier?>()
        await target.setImage(hit) { completed.append(try? $0.get().tier) }
        #expect(completed.events.isEmpty)
        await finish()
        while completed.count == 0, !Task.isCancelled { await Task.yield() }
        #expect(completed.events == [.memory])
        #expect(recording.shown.dropFirst(4) == [.image(red: 1, .none), .label(nil), .image(red: 4, .none)])
    }

    @Test func aViewThatIsClearedWhileAnImageIsSetShowsNothingAtTheEnd() async throws {
        try await suspend { _ in Issue.record("The completion of a cleared target was called.") }
        await target.clear()
        await finish()
        #expect(recording.shown.dropFirst(4) == [.image(red: 1, .none), .cleared])
        #expect(target.currentSource == nil)
    }

    @Test func cancellingDropsAnImageThatHasComeAndIsNotShownYet() async throws {
        try await suspend()
        await target.setImage(request("b")) { _ in Issue.record("The completion of a cancelled request was called.") }
        try provider.loads[1].succeed(TestImages.solid(red: 2))
        await target.cancel()
        await finish()
        #expect(
            recording.shown.dropFirst(4) == [.image(red: 1, .none), .label(nil), .cleared, .loading(true), .loading(false)])
    }

    @Test func anImageThatHasComeAndIsNotShownYetCanBeCancelledAndRequestedAgain() async throws {
        try await suspend()
        await target.setImage(request("b")) { _ in Issue.record("The completion of a cancelled request was called.") }
        try provider.loads[1].succeed(TestImages.solid(red: 2))
        await target.cancel()
        let completed = EventLog<Void>()
        await target.setImage(request("b")) { _ in completed.append(()) }
        try #require(provider.loads.count == 3)
        try provider.loads[2].succeed(TestImages.solid(red: 3))
        await finish()
        while completed.count == 0, !Task.isCancelled { await Task.yield() }
        #expect(recording.shown.suffix(2) == [.loading(false), .image(red: 3, .none)])
        #expect(!recording.shown.contains(.image(red: 2, .none)))
    }

    @Test func progressAndPreviewsThatComeWhileAnImageIsSetDoNotPileUp() async throws {
        try await suspend()
        await target.setImage(request("b"))
        for number in 1...9 {
            var preview = try TestImages.solid(red: UInt8(10 + number))
            preview.isPreview = true
            provider.loads[1].send(.progress(LoadProgress(received: number, expected: 9)))
            provider.loads[1].send(.preview(preview))
        }
        try provider.loads[1].succeed(TestImages.solid(red: 2))
        await finish()
        await recording.wait { $0.last == .image(red: 2, .none) }
        #expect(
            recording.shown.dropFirst(4) == [
                .image(red: 1, .none), .label(nil), .cleared, .loading(true),
                .progress(LoadProgress(received: 9, expected: 9)), .image(red: 19, .none), .loading(false),
                .image(red: 2, .none),
            ])
    }

    @Test func aTargetThatGoesWhileACallSuspendsMakesNoMoreCalls() async throws {
        await view.holdImages(at: gate)
        weak var loader: ScriptedProvider?
        do {
            let provider = ScriptedProvider()
            loader = provider
            let target = ImageTarget(view, loader: provider)
            await target.setImage(request("a")) { _ in Issue.record("The completion of a target that is gone was called.") }
            try provider.loads[0].succeed(TestImages.solid(red: 1))
            await gate.waitForArrivals(1)
            await target.setImage(request("b"))
        }
        gate.open()
        // What makes the calls keeps the loader.
        while loader != nil, !Task.isCancelled { await Task.yield() }
        #expect(recording.shown.dropFirst(4) == [.image(red: 1, .none)])
    }

    /// The question comes before the image, and its answer takes time too.
    @Test func anImageIsNotShownWhenANewerRequestCameWhileItsTransitionWasAskedFor() async throws {
        let view = ThoughtfulView()
        let target = ImageTarget(view, loader: provider)
        await target.setImage(request("a") { $0.transition = .fade(.seconds(1)) })
        try provider.loads[0].succeed(TestImages.solid(red: 1))
        await view.gate.waitForArrivals(1)
        await target.clear()
        view.gate.open()
        while target.isCallingView, !Task.isCancelled { await Task.yield() }
        #expect(await view.calls == ["clear", "clear"])
    }

    @Test @MainActor func aRequestFromWithinACallOrACompletionFollowsThatCall() throws {
        let view = ChainingView()
        let target = ImageTarget(view, loader: provider)
        for (index, name) in ["a", "b", "c"].enumerated() {
            provider.cache(try TestImages.solid(red: UInt8(index)), for: request(name))
        }
        // From within a completion the next request shows at once; from within a call, when that has returned.
        view.onImage = { red in
            if red == 1 { target.setImage(self.request("c")) }
            view.events.append("left \(red)")
        }
        target.setImage(request("a")) { _ in
            target.setImage(self.request("b"))
            view.events.append("completed")
        }
        #expect(view.events == ["image 0", "left 0", "image 1", "left 1", "image 2", "left 2", "completed"])
    }
}

/// Answers slowly whether it wants motion.
private actor ThoughtfulView: ImageViewAdapter {
    nonisolated let gate = Gate()
    private(set) var calls: [String] = []
    func setImage(_ image: DecodedImage, transition: Transition) { calls.append("image") }
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
    func setImage(_ image: DecodedImage, transition: Transition) {
        let red = TestImages.pixel(of: image, x: 0, y: 0)[0]
        events.append("image \(red)")
        onImage(red)
    }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() {}
}
