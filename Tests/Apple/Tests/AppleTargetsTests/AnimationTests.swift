import AppKit
@testable import Calotype
import CalotypeTesting
@testable import ImageCore
import ImageTargets
import SwiftUI
import Testing
import UIKit
import WatchKit

/// FEATURES 9.3: views play animations, pause them where they are not seen, and show the first frame where motion is
/// reduced.
@Suite(.serialized, .timeLimit(.minutes(1))) @MainActor struct AppleAnimations {
    private struct Frames: AnimationFrames {
        var durations: [Duration] { Array(repeating: .milliseconds(100), count: 3) }
        var loopCount: Int { 0 }
        var byteCount: Int { 0 }
        func frame(at index: Int) async throws -> DecodedImage { try TestImages.solid(red: 10 + UInt8(index)) }
    }

    private let provider = ScriptedProvider()
    private let clock = ManualClock()
    private let request = ImageRequest(.bytes(Data(), id: "a"))
    private let animation: AnimatedImage

    init() throws {
        var image = try TestImages.solid(red: 10)
        animation = AnimatedImage(Frames(), clock: clock)
        image.animation = animation
        provider.cache(image, for: request)
    }

    private func red(_ image: CGImage?) -> UInt8? { image?.provider.data.load(as: UInt8.self) }

    private func wait(until isMet: () -> Bool) async {
        for _ in 0..<100_000 where !isMet() { await Task.yield() }
        #expect(isMet())
    }

    /// Waits until a view shows another frame than the first.
    private func waitForSecondFrame(_ shown: () -> UInt8?) async {
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(100))
        await wait { shown() == 11 }
    }

    /// Posts a notification, and waits for the number of views that play then.
    private func post(
        _ name: Notification.Name, in center: NotificationCenter = .default, from sender: Any? = nil, playing count: Int
    ) async {
        #expect(animation.playingViews == 1 - count)
        center.post(name: name, object: sender)
        await wait { animation.playingViews == count }
    }

    private func makeUIKitView(in window: UIWindow) -> UIImageView {
        let view = UIImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
        window.addSubview(view)
        view.calotype.setImage(with: request, from: provider)
        return view
    }

    // MARK: UIKit and WatchKit

    @Test func aUIKitViewPlaysWhileItIsInAWindow() async {
        let window = UIWindow()
        let view = makeUIKitView(in: window)
        await waitForSecondFrame { red(view.image?.cgImage) }
        #expect(animation.playingViews == 1)
        view.removeFromSuperview()
        #expect(animation.playingViews == 0)
        window.addSubview(view)
        #expect(animation.playingViews == 1)
    }

    @Test func aUIKitViewPausesInTheBackground() async {
        let window = UIWindow()
        let (view, other) = (makeUIKitView(in: window), UIImageView(frame: CGRect(x: 0, y: 0, width: 9, height: 9)))
        other.calotype.setImage(with: ImageRequest(.bytes(Data(), id: "b")), from: provider)
        await post(UIApplication.didEnterBackgroundNotification, playing: 0)
        #expect(provider.loads[0].priority == .veryLow)
        // Coming into a window does not count there.
        view.removeFromSuperview()
        window.addSubview(view)
        await post(UIApplication.willEnterForegroundNotification, playing: 1)
        #expect(provider.loads[0].priority == .normal)
    }

    @Test func aUIKitViewShowsTheFirstFrameWhenMotionIsReduced() async {
        let window = UIWindow()
        let view = makeUIKitView(in: window)
        await waitForSecondFrame { red(view.image?.cgImage) }
        UIAccessibility.isReduceMotionEnabled = true
        defer { UIAccessibility.isReduceMotionEnabled = false }
        await post(UIAccessibility.reduceMotionStatusDidChangeNotification, playing: 0)
        #expect(red(view.image?.cgImage) == 10)
        UIAccessibility.isReduceMotionEnabled = false
        await post(UIAccessibility.reduceMotionStatusDidChangeNotification, playing: 1)
    }

    @Test func aWatchKitViewShowsTheFirstFrameWhenMotionIsReduced() async {
        let view = WKInterfaceImage()
        view.calotype.setImage(with: request, from: provider)
        await waitForSecondFrame { red(view.image?.cgImage) }
        isMotionReducedOnWatch = true
        defer { isMotionReducedOnWatch = false }
        await post(.WKAccessibilityReduceMotionStatusDidChange, playing: 0)
        #expect(red(view.image?.cgImage) == 10)
        isMotionReducedOnWatch = false
        await post(.WKAccessibilityReduceMotionStatusDidChange, playing: 1)
    }

    @Test func anObserverThatIsReleasedObservesNothing() async {
        let (name, log) = (Notification.Name("test"), EventLog<Void>())
        var observer: NotificationObserver? = NotificationObserver(name) { log.append(()) }
        NotificationCenter.default.post(name: name, object: nil)
        await wait { log.count == 1 }
        #expect(observer != nil)
        observer = nil
        NotificationCenter.default.post(name: name, object: nil)
        for _ in 0..<100 { await Task.yield() }
        #expect(log.count == 1)
    }

    // MARK: AppKit

    private func makeAppKitView(in window: NSWindow) -> NSImageView {
        let view = NSImageView(frame: NSRect(x: 0, y: 0, width: 40, height: 40))
        window.contentView = view
        view.calotype.setImage(with: request, from: provider)
        return view
    }

    @Test func anAppKitViewPausesWhileItsWindowIsCovered() async {
        let (window, other) = (NSWindow(), NSWindow())
        // A view does not wait for the first report of its window.
        let view = makeAppKitView(in: window)
        #expect(animation.playingViews == 1)
        window.occlusionState = .visible
        other.occlusionState = []
        window.occlusionState = []
        await wait { animation.playingViews == 0 }
        window.occlusionState = .visible
        await wait { animation.playingViews == 1 }
        window.occlusionState = []
        await wait { animation.playingViews == 0 }
        // Another window has not told that it is covered. What a window told before the view moved comes too late.
        other.contentView = view
        #expect(animation.playingViews == 1)
        other.occlusionState = []
        window.contentView = view
        for _ in 0..<100 { await Task.yield() }
        #expect(animation.playingViews == 1)
    }

    @Test func anAppKitViewShowsTheFirstFrameWhenMotionIsReduced() async {
        let (window, workspace) = (NSWindow(), NSWorkspace.shared)
        let view = makeAppKitView(in: window)
        await waitForSecondFrame { red(view.image?.cgImage) }
        let name = NSWorkspace.accessibilityDisplayOptionsDidChangeNotification
        workspace.accessibilityDisplayShouldReduceMotion = true
        defer { workspace.accessibilityDisplayShouldReduceMotion = false }
        await post(name, in: workspace.notificationCenter, playing: 0)
        #expect(red(view.image?.cgImage) == 10)
        workspace.accessibilityDisplayShouldReduceMotion = false
        await post(name, in: workspace.notificationCenter, playing: 1)
    }

    // MARK: SwiftUI

    private func host(_ view: some View) -> SwiftUIHost { SwiftUIHost(view) { $0.imageLoader = provider } }
    private func red(_ host: SwiftUIHost) -> UInt8? { red(host.views(Image.self).first?.cgImage) }

    @Test func aSwiftUIViewPausesWhileItsSceneIsInTheBackground() {
        let host = host(CalotypeImage(request))
        // The first value says nothing.
        #expect(animation.playingViews == 1)
        host.setScenePhase(.active)
        #expect(animation.playingViews == 1)
        host.setScenePhase(.background)
        #expect(animation.playingViews == 0)
        host.setScenePhase(.inactive)
        #expect(animation.playingViews == 1)
    }

    @Test func aSwiftUIViewShowsTheFirstFrameWhenMotionIsReduced() async {
        let host = host(CalotypeImage(request))
        await waitForSecondFrame { red(host) }
        host.setReducedMotion(true)
        #expect(red(host) == 10 && animation.playingViews == 0)
        host.setReducedMotion(false)
        #expect(animation.playingViews == 1)
    }

    @Test func aRequestThatChangesOffScreenDoesNotCountAsOnScreen() {
        let store = PhaseStore()
        store.isOnScreen = true
        store.show(request, from: provider, observesProgress: false, completion: nil)
        store.isOnScreen = false
        store.show(ImageRequest(.bytes(Data(), id: "b")), from: provider, observesProgress: false, completion: nil)
        #expect(provider.loads[0].priority == .veryLow)
        store.isOnScreen = true
        #expect(provider.loads[0].priority == .normal)
    }
}

extension AnimatedImage {
    /// The number of views that play the animation now.
    fileprivate var playingViews: Int { playback.withLock { $0.listeners.values.count(where: \.isActive) } }
}
