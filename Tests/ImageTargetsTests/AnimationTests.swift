import CalotypeTesting
import ImageTargets
import Testing

@testable import ImageCore

/// Targets play animations (FEATURES 9.3).
@Suite(.timeLimit(.minutes(1))) struct TargetAnimations {
    private struct Frames: AnimationFrames {
        let first: UInt8
        var durations: [Duration] { Array(repeating: .milliseconds(100), count: 3) }
        var loopCount: Int { 0 }
        var byteCount: Int { 0 }
        func frame(at index: Int) async throws -> DecodedImage { try TestImages.solid(red: first + UInt8(index)) }
    }

    private enum Call: Hashable { case image(UInt8), frame(UInt8), loop(Int, isOver: Bool), clear }

    private actor AnimatedView: ImageViewAdapter {
        nonisolated let calls = EventLog<Call>()
        private(set) var motionQuestions = 0
        private var reducesMotion: Bool
        private var motionGate: Gate?
        private var gate: Gate?
        private var size = 10
        func imageSize() -> ViewImageSize { .box(PixelSize(width: size, height: size), .fill) }
        func grow() { size = 20 }
        init(reducesMotion: Bool = false) { self.reducesMotion = reducesMotion }
        func hold(at gate: Gate) { self.gate = gate }
        func holdMotion(at gate: Gate) { motionGate = gate }
        func reduceMotion(_ isReduced: Bool) { reducesMotion = isReduced }
        func setImage(_ image: DecodedImage, transition: ImageTransition) { calls.append(.image(red(image))) }
        func setFrame(_ image: DecodedImage) async {
            calls.append(.frame(red(image)))
            try? await gate?.pass()
        }
        func animationLoopEnded(_ state: AnimationPlaybackState) {
            calls.append(.loop(state.finishedLoops, isOver: state.isOver))
        }
        func clear() { calls.append(.clear) }
        func setPlaceholder(_ placeholder: Placeholder) {}
        func prefersReducedMotion() async -> Bool {
            motionQuestions += 1
            try? await motionGate?.pass()
            return reducesMotion
        }
        private func red(_ image: DecodedImage) -> UInt8 { TestImages.pixel(of: image, x: 0, y: 0)[0] }
    }

    private let provider = ScriptedProvider()
    private let clock = ManualClock()
    private let url = URL(string: "test://a")!

    private func animated(_ first: UInt8 = 10) throws -> DecodedImage {
        var image = try TestImages.solid(red: first)
        image.animation = AnimatedImage(Frames(first: first), clock: clock)
        return image
    }

    /// Shows an image in a view, from the memory cache.
    private func show(
        _ image: DecodedImage, _ name: String, in target: ImageTarget<AnimatedView>,
        _ change: (inout OptionLayer) -> Void = { _ in }
    ) async {
        var request = ImageRequest(url: URL(string: "test://\(name)")!)
        change(&request.options)
        provider.cache(image, for: request)
        await target.setImage(request)
    }

    private func advance(_ sleeps: Int) async {
        await clock.waitForSleeps(sleeps)
        clock.advance(by: .milliseconds(100))
    }

    /// A call of a target that comes while another one makes the calls to the view does not wait for them.
    private func untilCallsReturn(of target: ImageTarget<AnimatedView>) async {
        while target.isCallingView { await Task.yield() }
    }

    @Test func aLoadedAnimationPlays() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        await target.setImage(url)
        provider.loads[0].succeed(try animated())
        await advance(1)
        await view.calls.wait(forCount: 3)
        await advance(2)
        await view.calls.wait(forCount: 4)
        #expect(view.calls.events == [.clear, .image(10), .frame(11), .frame(12)])
    }

    @Test func anAnimationOfTheMemoryCachePlaysUntilTheNextRequest() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target)
        await advance(1)
        await view.calls.wait(forCount: 2)
        await untilCallsReturn(of: target)
        await show(try TestImages.solid(red: 90), "b", in: target)
        #expect(view.calls.events == [.image(10), .frame(11), .image(90)])
        #expect(image.animation?.playingViews == 0)
    }

    @Test func clearingCancellingAndReleasingStopIt() async throws {
        let view = AnimatedView()
        var target: ImageTarget<AnimatedView>? = ImageTarget(view, loader: provider)
        let image = try animated()
        for stop in [{ await $0.clear() }, { await $0.cancel() }] as [(ImageTarget<AnimatedView>) async -> Void] {
            guard let target else { return }
            await show(image, "a", in: target)
            #expect(image.animation?.playingViews == 1)
            await stop(target)
            #expect(image.animation?.playingViews == 0)
            await target.clear()
        }
        if let target { await show(image, "a", in: target) }
        #expect(image.animation?.playingViews == 1)
        target = nil
        #expect(image.animation?.playingViews == 0)
    }

    @Test func itPausesOffScreen() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target)
        target.setVisible(false)
        #expect(image.animation?.playingViews == 0)
        target.setVisible(true)
        #expect(image.animation?.playingViews == 1)
        // A view that is off screen when its image comes does not begin to play.
        let hidden = ImageTarget(view, loader: provider)
        hidden.setVisible(false)
        let other = try animated(50)
        await show(other, "b", in: hidden)
        #expect(other.animation?.playingViews == 0 && other.animation?.playback.withLock { $0.run } == 0)
        hidden.setVisible(true)
        #expect(other.animation?.playingViews == 1)
    }

    @Test func whereMotionIsReducedTheFirstFrameStays() async throws {
        let view = AnimatedView(reducesMotion: true)
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target)
        #expect(view.calls.events == [.image(10)] && image.animation?.playingViews == 0)
    }

    @Test func whenThePreferenceChangesTheAnimationStopsAtItsFirstFrameOrPlays() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target)
        await advance(1)
        await view.calls.wait(forCount: 2)
        // The view gets the frame before the animation sleeps again.
        await clock.waitForSleeps(2)
        await untilCallsReturn(of: target)
        await view.reduceMotion(true)
        for _ in 0..<2 { await target.motionPreferenceChanged() }
        #expect(view.calls.events == [.image(10), .frame(11), .frame(10)] && image.animation?.playingViews == 0)
        await view.reduceMotion(false)
        target.setVisible(false)
        for _ in 0..<2 { await target.motionPreferenceChanged() }
        #expect(image.animation?.playingViews == 0)
        target.setVisible(true)
        #expect(image.animation?.playingViews == 1)
        await advance(3)
        await view.calls.wait(forCount: 4)
        #expect(view.calls.events.last == .frame(11))
    }

    /// A view that keeps its image for the next request follows the preference meanwhile.
    @Test func aKeptAnimationFollowsThePreference() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target)
        await advance(1)
        await view.calls.wait(forCount: 2)
        await clock.waitForSleeps(2)
        await untilCallsReturn(of: target)
        var next = ImageRequest(url: URL(string: "test://b")!)
        next.options.keepsImageWhileLoading = true
        await target.setImage(next)
        #expect(image.animation?.playingViews == 1 && provider.loads.count == 1)
        await view.reduceMotion(true)
        await target.motionPreferenceChanged()
        #expect(view.calls.events == [.image(10), .frame(11), .frame(10)] && image.animation?.playingViews == 0)
        await view.reduceMotion(false)
        await target.motionPreferenceChanged()
        #expect(image.animation?.playingViews == 1)
        provider.loads[0].succeed(try TestImages.solid(red: 90))
        await view.calls.wait { $0.last == .image(90) }
        #expect(image.animation?.playingViews == 0)
        await target.motionPreferenceChanged()
        #expect(view.calls.events.last == .image(90))
    }

    /// The same after the load failed or was cancelled.
    @Test func aKeptAnimationFollowsThePreferenceAfterCancel() async throws {
        let view = AnimatedView(reducesMotion: true)
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target)
        var next = ImageRequest(url: URL(string: "test://b")!)
        next.options.keepsImageWhileLoading = true
        await target.setImage(next)
        await view.reduceMotion(false)
        await target.motionPreferenceChanged()
        #expect(image.animation?.playingViews == 1)
        await target.cancel()
        #expect(image.animation?.playingViews == 0)
    }

    @Test func anAnimationThatNeverPlayedBeginsWhenMotionIsAllowed() async throws {
        let view = AnimatedView(reducesMotion: true)
        let target = ImageTarget(view, loader: provider)
        await target.motionPreferenceChanged()
        let image = try animated()
        await show(image, "a", in: target)
        await view.reduceMotion(false)
        await target.motionPreferenceChanged()
        #expect(view.calls.events == [.image(10)] && image.animation?.playingViews == 1)
        await target.cancel()
        await target.motionPreferenceChanged()
        #expect(image.animation?.playingViews == 0)
    }

    @Test func aViewThatShowsNoAnimationAnyMoreIsNotAskedForItsPreference() async throws {
        let still = try TestImages.solid(red: 90)
        let ends: [(ImageTarget<AnimatedView>) async -> Void] = [
            { await $0.clear() }, { await $0.cancel() }, { await show(still, "b", in: $0) },
        ]
        for end in ends {
            let view = AnimatedView()
            let target = ImageTarget(view, loader: provider)
            await show(try animated(), "a", in: target)
            await end(target)
            await view.reduceMotion(true)
            let (calls, questions) = (view.calls.events, await view.motionQuestions)
            await target.motionPreferenceChanged()
            #expect(await view.motionQuestions == questions)
            #expect(view.calls.events == calls)
        }
    }

    @Test func aReplacedAnimationDoesNotComeBackWhenThePreferenceChanges() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        await show(try animated(), "a", in: target)
        let gate = Gate()
        await view.holdMotion(at: gate)
        await view.reduceMotion(true)
        async let change: Void = target.motionPreferenceChanged()
        await gate.waitForArrivals(1)
        await show(try TestImages.solid(red: 90), "b", in: target)
        gate.open()
        await change
        #expect(view.calls.events == [.image(10), .image(90)])
    }

    @Test func noFrameOfAReplacedAnimationIsShown() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let gate = Gate()
        await view.hold(at: gate)
        await show(try animated(), "a", in: target)
        await advance(1)
        await gate.waitForArrivals(1)
        // The next frame waits for the view, which is suspended, when another request comes.
        await advance(2)
        await clock.waitForSleeps(3)
        await show(try TestImages.solid(red: 90), "b", in: target)
        gate.open()
        await view.calls.wait { $0.contains(.image(90)) }
        await untilCallsReturn(of: target)
        #expect(view.calls.events == [.image(10), .frame(11), .image(90)])
    }

    @Test func noFrameOfASmallAnimationFollowsTheLargerOne() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let gate = Gate()
        await view.hold(at: gate)
        let small = try animated()
        await show(small, "a", in: target)
        await view.grow()
        await target.viewSizeChanged()
        await advance(1)
        await gate.waitForArrivals(1)
        // The larger image, and then a frame of the small one, wait for the view, which is suspended.
        provider.loads[0].succeed(try TestImages.solid(red: 90))
        await advance(2)
        await clock.waitForSleeps(3)
        gate.open()
        await view.calls.wait { $0.contains(.image(90)) }
        await untilCallsReturn(of: target)
        #expect(view.calls.events == [.image(10), .frame(11), .image(90)])
    }

    /// The frame may come while the target takes its calls for the image. That moment cannot be held, so that the test
    /// tries often.
    @Test func aViewThatComesLaterShowsTheFrameOfTheOthers() async throws {
        let (first, image) = (AnimatedView(), try animated())
        let target = ImageTarget(first, loader: provider)
        await show(image, "a", in: target)
        await advance(1)
        await first.calls.wait(forCount: 2)
        for _ in 0..<500 {
            let view = AnimatedView()
            let late = ImageTarget(view, loader: provider)
            await show(image, "a", in: late)
            for _ in 0..<10_000 where view.calls.count < 2 { await Task.yield() }
            guard view.calls.events == [.image(10), .frame(11)] else {
                Issue.record("The view shows \(view.calls.events).")
                return
            }
        }
    }

    @Test func aFileAndAStreamGetTheFirstFrameOnly() async throws {
        struct Red: Encoding {
            var formats: [ImageFormat] { [.png] }
            func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
                Data(TestImages.pixel(of: image, x: 0, y: 0).prefix(1))
            }
        }
        let image = try animated()
        provider.cache(image, for: ImageRequest(url: url))
        let written = EventLog<Data>()
        let stream = StreamTarget(encoder: Red(), format: .png) { written.append($0) }
        let target = ImageTarget(stream, loader: provider)
        await target.setImage(url)
        #expect(written.events == [Data([10])] && image.animation?.playingViews == 0)
        let place = FileManager.default.temporaryDirectory.appending(path: "calotype-frame-\(UUID())")
        defer { try? FileManager.default.removeItem(at: place) }
        let file = StreamTarget(file: place, encoder: Red(), format: .png)
        let fileTarget = ImageTarget(file, loader: provider)
        await fileTarget.setImage(url)
        #expect(try Data(contentsOf: place) == Data([10]) && image.animation?.playingViews == 0)
    }

    @Test func aSlowViewSkipsFrames() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let gate = Gate()
        await view.hold(at: gate)
        await show(try animated(), "a", in: target)
        await advance(1)
        // The view holds the second frame while the others pass.
        await view.calls.wait(forCount: 2)
        for sleep in 2...4 { await advance(sleep) }
        await clock.waitForSleeps(5)
        gate.open()
        await untilCallsReturn(of: target)
        #expect(view.calls.events == [.image(10), .frame(11), .loop(1, isOver: false), .frame(11)])
        await target.clear()
    }

    @Test func theAppStopsAndStartsAnAnimation() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        #expect(target.animationState == nil)
        let image = try animated()
        await show(image, "a", in: target)
        await advance(1)
        await view.calls.wait(forCount: 2)
        await clock.waitForSleeps(2)
        target.stopAnimation()
        #expect(target.animationState?.frame == 1 && target.animationState?.isPlaying == false)
        // Only the app starts it again.
        target.setVisible(false)
        target.setVisible(true)
        #expect(image.animation?.playingViews == 0)
        target.setVisible(false)
        target.startAnimation()
        #expect(image.animation?.playingViews == 0)
        target.setVisible(true)
        #expect(target.animationState?.isPlaying == true && image.animation?.playingViews == 1)
        await advance(3)
        await view.calls.wait { $0.last == .frame(12) }
        #expect(Set(view.calls.events) == [.image(10), .frame(11), .frame(12)])
        // The next animation plays.
        target.stopAnimation()
        let next = try animated(50)
        await show(next, "b", in: target)
        #expect(next.animation?.playingViews == 1)
        await untilCallsReturn(of: target)
        await target.clear()
        #expect(target.animationState == nil)
    }

    @Test func withoutAutoplayTheFirstFrameStaysUntilTheAppStartsTheAnimation() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target) { $0.autoplays = false }
        #expect(image.animation?.playingViews == 0 && target.animationState == AnimationPlaybackState())
        target.startAnimation()
        #expect(image.animation?.playingViews == 1)
        // The same request with the option starts and stops it too.
        await show(image, "a", in: target) { $0.autoplays = true }
        #expect(image.animation?.playingViews == 1)
        await show(image, "a", in: target) { $0.autoplays = false }
        #expect(image.animation?.playingViews == 0)
        #expect(view.calls.events == [.image(10)])
    }

    @Test func aViewPlaysAsOftenAsTheOptionSays() async throws {
        let view = AnimatedView()
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target) { $0.animationPlays = 1 }
        for sleep in 1...3 {
            await advance(sleep)
            await view.calls.wait(forCount: 1 + sleep)
        }
        #expect(view.calls.events == [.image(10), .frame(11), .frame(12), .loop(1, isOver: true)])
        #expect(target.animationState?.isOver == true && image.animation?.playingViews == 0)
        target.startAnimation()
        await view.calls.wait { $0.last == .frame(10) }
        #expect(target.animationState?.finishedLoops == 0)
        // The same request with another count.
        await show(image, "a", in: target) { $0.animationPlays = 2 }
        for sleep in 4...6 { await advance(sleep) }
        await view.calls.wait { $0.contains(.loop(1, isOver: false)) }
        #expect(target.animationState?.isPlaying == true)
        await target.clear()
    }

    @Test func whereMotionIsReducedTheAppDoesNotStartAnAnimation() async throws {
        let view = AnimatedView(reducesMotion: true)
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        await show(image, "a", in: target) { $0.autoplays = false }
        target.startAnimation()
        #expect(image.animation?.playingViews == 0 && target.animationState == AnimationPlaybackState())
        await view.reduceMotion(false)
        await target.motionPreferenceChanged()
        #expect(image.animation?.playingViews == 1)
        await view.reduceMotion(true)
        await target.motionPreferenceChanged()
        target.stopAnimation()
        await view.reduceMotion(false)
        await target.motionPreferenceChanged()
        #expect(image.animation?.playingViews == 0)
    }

    /// A view of the main actor that knows nothing of animations.
    @MainActor private final class PlainView: MainActorImageView {
        let calls = EventLog<UInt8>()
        var reducesMotion = false
        func setImage(_ image: DecodedImage, transition: ImageTransition) {
            calls.append(TestImages.pixel(of: image, x: 0, y: 0)[0])
        }
        func clear() {}
        func setPlaceholder(_ placeholder: Placeholder) {}
        func prefersReducedMotion() -> Bool { reducesMotion }
    }

    @MainActor @Test func aViewThatKnowsNoFramesGetsImages() async throws {
        let view = PlainView()
        let target = ImageTarget(view, loader: provider)
        let image = try animated()
        provider.cache(image, for: ImageRequest(url: url))
        // In an asynchronous function, the calls with `await` would be preferred.
        let show: @MainActor () -> Void = { target.setImage(url) }
        let clear: @MainActor () -> Void = { target.clear() }
        let reduceMotion: @MainActor (Bool) -> Void = { isReduced in
            view.reducesMotion = isReduced
            target.motionPreferenceChanged()
        }
        show()
        await advance(1)
        await view.calls.wait(forCount: 2)
        #expect(view.calls.events == [10, 11])
        reduceMotion(true)
        #expect(view.calls.events == [10, 11, 10] && image.animation?.playingViews == 0)
        reduceMotion(false)
        #expect(image.animation?.playingViews == 1)
        clear()
        #expect(image.animation?.playingViews == 0)
    }
}

extension AnimatedImage {
    /// The number of views that play the animation now.
    fileprivate var playingViews: Int { playback.withLock { $0.listeners.values.count(where: \.isActive) } }
}
