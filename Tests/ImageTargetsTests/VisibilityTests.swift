import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageTargets
import Testing

/// A view that a plug-in brings, with an option of its own (FEATURES 3.6).
private actor OptionView: ImageViewAdapter {
    enum Caption: OptionKey { static let defaultValue = "none" }

    private(set) var captions: [String] = []
    func setImage(_ image: DecodedImage, transition: ImageTransition) {}
    func clear() {}
    func setPlaceholder(_ placeholder: Placeholder) {}
    func setExtraOptions(_ options: ExtraOptions) { captions.append(options[Caption.self]) }

    func show(_ names: [(String, caption: String?)], _ target: ImageTarget<OptionView>) async {
        for (name, caption) in names {
            var request = ImageRequest(url: URL(string: "test://\(name)")!)
            request.options[Caption.self] = caption
            await target.setImage(request)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct OptionsOfViews {
    /// A reused view does not keep the option of the request before.
    @Test func aViewGetsTheOptionsOfPlugInsOfEachRequest() async {
        let view = OptionView()
        let target = ImageTarget(view, loader: ScriptedProvider())
        await view.show([("a", nil), ("b", "sea"), ("c", "sky"), ("d", nil), ("e", nil)], target)
        #expect(await view.captions == ["sea", "sky", "none"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct OffScreenViews {
    private let provider = ScriptedProvider()
    private let view = RecordingView()
    private let target: ImageTarget<RecordingView>

    init() { target = ImageTarget(view, loader: provider) }

    private func request(_ policy: OffScreenPolicy, _ name: String = "a") -> ImageRequest {
        var request = ImageRequest(url: URL(string: "test://\(name)")!)
        request.options.offScreenPolicy = policy
        return request
    }

    @Test func thePriorityIsLoweredOffScreenAndRaisedAgain() async {
        await target.setImage(request(.lowersPriority))
        target.setVisible(false)
        #expect(provider.loads.map(\.priority) == [.veryLow])
        target.setVisible(true)
        #expect(provider.loads.map(\.priority) == [.normal])
        #expect(provider.loads.count == 1)
    }

    @Test func aLoadIsCancelledOffScreenAndStartedAgain() async throws {
        let completed = EventLog<CacheTier?>()
        await target.setImage(request(.cancels)) { completed.append(try? $0.get().tier) }
        let shown = view.shown
        target.setVisible(false)
        #expect(provider.loads.map(\.isCancelled) == [true])
        target.setVisible(true)
        #expect(provider.loads.map(\.isCancelled) == [true, false])
        // Neither the view nor the completion was called.
        #expect(view.shown == shown)
        provider.loads[1].succeed(try TestImages.solid(red: 5), tier: .disk)
        await completed.wait(forCount: 1)
        #expect(completed.events == [.disk])
        #expect(view.shown.last == .image(red: 5, .none))
    }

    @Test func aRequestOffScreenWaitsUntilTheViewIsOnScreen() async {
        target.setVisible(false)
        await target.setImage(request(.cancels))
        #expect(provider.loads.isEmpty)
        #expect(view.shown.last == .loading(true))
        target.setVisible(true)
        #expect(provider.loads.count == 1)
        await target.setImage(request(.lowersPriority, "b"))
        #expect(provider.loads.map(\.priority) == [.normal, .normal])
    }

    @Test func aRequestOffScreenStartsWithLowPriority() async {
        target.setVisible(false)
        await target.setImage(request(.lowersPriority))
        #expect(provider.loads.map(\.priority) == [.veryLow])
        target.setPriority(.high)
        #expect(provider.loads.map(\.priority) == [.veryLow])
        target.setVisible(true)
        #expect(provider.loads.map(\.priority) == [.high])
    }

    @Test func aLoadWithThePolicyKeepsIgnoresVisibility() async {
        await target.setImage(request(.keepsPriority))
        target.setVisible(false)
        #expect(provider.loads.map(\.priority) == [.normal])
        #expect(provider.loads.map(\.isCancelled) == [false])
    }

    @Test func theLoadOfAReleasedViewIsCancelledAtItsNextEvent() async throws {
        var view: RecordingView? = RecordingView()
        let target = ImageTarget(view!, loader: provider)
        await target.setImage(request(.keepsPriority)) { _ in Issue.record("The completion of a released view was called.") }
        view = nil
        let load = try #require(provider.loads.first)
        load.send(.progress(LoadProgress(received: 1, expected: nil)))
        while !load.isCancelled { await Task.yield() }
        #expect(target.currentSource == nil)
    }

    @Test func aCompletionMayOwnTheTargetOfAReleasedView() async throws {
        final class Screen: Sendable {
            let target: ImageTarget<RecordingView>

            init(_ view: RecordingView, _ loader: ScriptedProvider) { target = ImageTarget(view, loader: loader) }
        }
        var view: RecordingView? = RecordingView()
        var screen: Screen? = Screen(view!, provider)
        await screen?.target.setImage(request(.keepsPriority)) { [screen] _ in
            Issue.record("The completion of a released view was called: \(screen as Any).")
        }
        weak let released = screen
        (view, screen) = (nil, nil)
        let load = try #require(provider.loads.first)
        load.send(.progress(LoadProgress(received: 1, expected: nil)))
        while !load.isCancelled || released != nil { await Task.yield() }
    }
}

@Suite(.timeLimit(.minutes(5))) struct CallsToViews {
    private let provider = ScriptedProvider()

    private func request(_ name: String = "a", _ change: (inout OptionLayer) -> Void) -> ImageRequest {
        var request = ImageRequest(url: URL(string: "test://\(name)")!)
        change(&request.options)
        return request
    }

    @Test func recordingViewsConform() async throws {
        try await checkImageViewAdapterConformance(of: RecordingView()) { await $0.appearance }
    }

    @Test func aViewThatAlwaysShowsThePlaceholderDoesNotConform() async throws {
        await #expect(throws: ConformanceFailure.self) {
            try await checkImageViewAdapterConformance(of: StuckView()) { await $0.appearance }
        }
    }

    @Test func theTargetDecodesAHashAndIgnoresABrokenOne() async throws {
        let view = RecordingView()
        let target = ImageTarget(view, loader: provider)
        let good = PlaceholderHash(Data([44])) { try TestImages.solid(red: $0[0]) }
        await target.setImage(request { $0.placeholder = .hash(good) })
        #expect(view.shown.suffix(2) == [.placeholder("image"), .loading(true)])
        #expect(await view.appearance.color == [44, 0, 0])
        let broken = PlaceholderHash(Data()) { _ in throw ImageError(.corrupt, message: "No hash.") }
        await target.setImage(request("b") { $0.placeholder = .hash(broken) })
        #expect(view.shown.suffix(2) == [.cleared, .loading(true)])
    }

    @Test @MainActor func aMainActorViewShowsAMemoryHitWithinTheCall() throws {
        let view = CountingView()
        let target = ImageTarget(view, loader: provider)
        let hit = request { $0.transition = .fade(.seconds(1)) }
        provider.cache(try TestImages.solid(red: 3), for: hit)
        var tier: CacheTier?
        target.setImage(hit) { tier = try? $0.get().tier }
        #expect(view.transitions == [.none])
        #expect(tier == .memory)
        target.clear()
        #expect(target.currentSource == nil)
    }

    @Test @MainActor func thereIsNoTransitionIfTheUserPrefersReducedMotion() async throws {
        for (isReduced, expected) in [(true, ImageTransition.none), (false, .fade(.seconds(1)))] {
            let view = CountingView(prefersReducedMotion: isReduced)
            let target = ImageTarget(view, loader: provider)
            let completed = EventLog<Void>()
            target.setImage(request { $0.transition = .fade(.seconds(1)) }) { _ in completed.append(()) }
            try provider.loads.last?.succeed(TestImages.solid())
            await completed.wait(forCount: 1)
            #expect(view.transitions == [expected])
        }
    }

    /// The end of the load before must not make the calls of the new request, which would return before them.
    @Test func aRequestThatReplacesALoadReturnsWhenItsOwnHasStarted() async {
        let view = RecordingView()
        let target = ImageTarget(view, loader: provider)
        var number = 0
        while number < 2_000, provider.loads.count == number {
            number += 1
            await target.setImage(request("\(number)") { _ in })
        }
        withExtendedLifetime(view) { #expect(provider.loads.count == 2_000) }
    }

    @Test func aRequestWithOtherHeadersIsAnotherRequest() async throws {
        // The view must live: a target forgets the request of a released view.
        let view = RecordingView()
        let target = ImageTarget(view, loader: provider)
        await target.setImage(request { $0.headers = [.authorization: "a"] })
        await target.setImage(request { $0.headers = [.authorization: "b"] })
        await target.setImage(request { $0.headers = [.authorization: "b"] })
        withExtendedLifetime(view) { #expect(provider.loads.count == 2) }
    }

    @Test(arguments: CacheTier.allCases) func theBadgeNamesTheTier(_ tier: CacheTier) async throws {
        let view = LastImageView()
        let target = ImageTarget(view, loader: provider)
        let plain = try TestImages.solid(width: 63, height: 70, red: 9)
        let completed = EventLog<DecodedImage?>()
        await target.setImage(request { $0.showsTierBadge = true }) { completed.append(try? $0.get().image) }
        provider.loads.last?.succeed(plain, tier: tier)
        await completed.wait(forCount: 1)
        let shown = try #require(await view.image)
        let letters: [CacheTier: [String]] = [
            .memory: ["#...#", "##.##", "#.#.#", "#.#.#", "#...#", "#...#", "#...#"],
            .disk: ["####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####."],
            .local: ["#....", "#....", "#....", "#....", "#....", "#....", "#####"],
            .network: ["#...#", "##..#", "#.#.#", "#.#.#", "#..##", "#...#", "#...#"],
        ]
        let letter = (1...7).map { y in
            (1...5).map { x in TestImages.pixel(of: shown, x: x, y: y) == [255, 255, 255, 255] ? "#" : "." }.joined()
        }
        #expect(letter == letters[tier])
        #expect(TestImages.pixel(of: shown, x: 7, y: 9) == [9, 0, 0, 255])
        // The completion gets the image without the badge.
        #expect(TestImages.pixel(of: try #require(completed.events[0]), x: 0, y: 0) == [9, 0, 0, 255])
    }

    @Test @MainActor func aViewThatShowsBadgesGetsTheImageWithoutOne() async throws {
        let view = BadgeView()
        let target = ImageTarget(view, loader: provider)
        let plain = try TestImages.solid(width: 63, height: 70, red: 9)
        let completed = EventLog<Void>()
        func show(_ isMarked: Bool) async {
            let count = completed.events.count
            target.setImage(request { $0.showsTierBadge = isMarked }) { _ in completed.append(()) }
            provider.loads.last?.succeed(plain, tier: .disk)
            await completed.wait(forCount: count + 1)
            await target.clear()
        }
        await show(true)
        await show(false)
        // The badge comes before its image.
        #expect(view.calls == ["badge disk", "image 9", "badge none", "image 9"])
    }

    @Test @MainActor func aChangedBadgeOfAShownImageTakesEffectWithoutALoad() async throws {
        let view = BadgeView()
        let target = ImageTarget(view, loader: provider)
        let plain = try TestImages.solid(width: 63, height: 70, red: 9)
        let completed = EventLog<Void>()
        target.setImage(request { _ in }) { _ in completed.append(()) }
        provider.loads.last?.succeed(plain, tier: .disk)
        await completed.wait(forCount: 1)
        for isMarked in [false, true, true, false] { await target.setImage(request { $0.showsTierBadge = isMarked }) }
        #expect(view.calls == ["badge none", "image 9", "badge disk", "badge none"])
        #expect(provider.loads.count == 1)
        // Where the image is not there yet, it comes with the badge.
        await target.setImage(request("b") { _ in })
        await target.setImage(request("b") { $0.showsTierBadge = true })
        provider.loads.last?.succeed(plain, tier: .network)
        while view.calls.count < 6 { await Task.yield() }
        #expect(view.calls.suffix(2) == ["badge network", "image 9"] && provider.loads.count == 2)
        // Nor has a view without an image a badge.
        await target.clear()
        await target.setImage(request("c") { _ in })
        await target.setImage(request("c") { $0.showsTierBadge = true })
        #expect(view.calls.count == 6)
    }

    @Test func aChangedBadgeIsDrawnIntoTheShownImage() async throws {
        let view = LastImageView()
        let target = ImageTarget(view, loader: provider)
        let plain = try TestImages.solid(width: 63, height: 70, red: 9)
        provider.cache(plain, for: request { $0.showsTierBadge = true })
        await target.setImage(request { $0.showsTierBadge = true })
        let corner: @Sendable () async throws -> [UInt8] = {
            TestImages.pixel(of: try #require(await view.image), x: 0, y: 0)
        }
        #expect(try await corner() == [30, 130, 60, 255])
        await target.setImage(request { _ in })
        #expect(try await corner() == [9, 0, 0, 255])
        await target.setImage(request { $0.showsTierBadge = true })
        #expect(try await corner() == [30, 130, 60, 255])
        #expect(provider.loads.isEmpty)
    }

    @Test func aBadgeIsDrawnInEveryFormatButNotOnTinyImages() throws {
        let tiny = try TestImages.solid(width: 6, height: 8, red: 9)
        #expect(TestImages.pixel(of: TierBadge(.disk).drawn(on: tiny), x: 0, y: 0) == [9, 0, 0, 255])
        for format in PixelFormat.allCases {
            let bitmap = try unsafe Bitmap(size: PixelSize(width: 126, height: 126), format: format, alpha: .opaque) { _, _ in }
            let marked = TierBadge(.memory).drawn(on: DecodedImage(bitmap))
            // The upper left corner of the letter, whose units have two pixels.
            #expect(TestImages.pixel(of: marked, x: 3, y: 3).allSatisfy { $0 == 255 })
            #expect(TestImages.pixel(of: marked, x: 20, y: 20).prefix(3).allSatisfy { $0 == 0 })
        }
    }
}

@MainActor private final class BadgeView: MainActorImageView {
    private(set) var calls: [String] = []
    func setTierBadge(_ tier: CacheTier?) -> Bool {
        calls.append("badge \(tier?.rawValue ?? "none")")
        return true
    }
    func setImage(_ image: DecodedImage, transition: ImageTransition) {
        calls.append("image \(TestImages.pixel(of: image, x: 1, y: 1)[0])")
    }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() {}
}

@MainActor private final class CountingView: MainActorImageView {
    private let isMotionReduced: Bool
    private(set) var transitions: [ImageTransition] = []
    private(set) var placeholders = 0
    init(prefersReducedMotion: Bool = false) { isMotionReduced = prefersReducedMotion }
    func prefersReducedMotion() -> Bool { isMotionReduced }
    func setImage(_ image: DecodedImage, transition: ImageTransition) { transitions.append(transition) }
    func setPlaceholder(_ placeholder: Placeholder) { placeholders += 1 }
    func clear() {}
}

private actor LastImageView: ImageViewAdapter {
    private(set) var image: DecodedImage?
    func setImage(_ image: DecodedImage, transition: ImageTransition) { self.image = image }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() { image = nil }
}

private actor StuckView: ImageViewAdapter {
    private(set) var appearance = ViewAppearance(color: [])
    func setImage(_ image: DecodedImage, transition: ImageTransition) {}
    func setPlaceholder(_ placeholder: Placeholder) { appearance.color = [0, 150, 0] }
    func clear() {}
}
