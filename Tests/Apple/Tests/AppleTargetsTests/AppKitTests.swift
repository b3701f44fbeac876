import AppKit
import Calotype
import CalotypeTesting
import Testing
import WatchKit

/// The views of AppKit and WatchKit, with stubs that follow their rules and record what is set.
@Suite(.timeLimit(.minutes(1))) @MainActor struct AppKitViews {
    private let provider = ScriptedProvider()

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var options = OptionLayer()
        change(&options)
        return ImageRequest(.bytes(Data(), id: name), options: options)
    }

    /// A view that was laid out.
    private func makeView() -> NSImageView { NSImageView(frame: NSRect(x: 0, y: 0, width: 40, height: 40)) }

    @Test func imagesHaveTheScaleOfTheScreen() throws {
        let (window, view, button) = (NSWindow(), makeView(), NSButton())
        window.contentView = view
        provider.cache(try TestImages.solid(width: 6, height: 4), for: request("a"))
        view.calotype.setImage(with: request("a"), from: provider)
        button.calotype.setImage(with: request("a"), from: provider)
        #expect(view.image?.size == NSSize(width: 3, height: 2) && button.image?.size == NSSize(width: 6, height: 4))
    }

    @Test func anImageDissolvesIntoTheNextAndTheAlphaOfTheAppIsKept() async throws {
        let (view, button, done) = (makeView(), NSButton(), EventLog<Void>())
        view.alphaValue = 0.5
        let fading = request("a") { $0.transition = .fade(.milliseconds(250)) }
        view.calotype.setImage(with: fading, from: provider) { _ in done.append(()) }
        button.calotype.setImage(with: fading, from: provider) { _ in done.append(()) }
        for load in provider.loads { load.succeed(try TestImages.solid()) }
        await done.wait(forCount: 2)
        #expect(view.layer?.animations.map(\.duration) == [0.25] && view.alphaValue == 0.5 && view.image != nil)
        #expect(button.layer?.animations.map(\.duration) == [0.25])
    }

    @Test func placeholderColoursCoverViewsButTakeNoClicks() throws {
        let red = request("a") { $0.placeholder = .color(red: 1, green: 0, blue: 0, alpha: 1) }
        let (view, button) = (NSImageView(frame: NSRect(x: 0, y: 0, width: 9, height: 9)), NSButton())
        view.calotype.setImage(with: red, from: provider)
        button.calotype.setImage(with: red, from: provider)
        for view in [view, button] as [NSView] {
            #expect(view.subviews.first?.layer?.backgroundColor?.components == [1, 0, 0, 1])
            #expect(view.hitTest(NSPoint()) === view)
        }
        view.setFrameSize(NSSize(width: 20, height: 30))
        #expect(view.subviews.first?.bounds.size == NSSize(width: 20, height: 30))
        provider.cache(try TestImages.solid(), for: request("b"))
        view.calotype.setImage(with: request("b"), from: provider)
        #expect(view.subviews.first?.layer?.backgroundColor == nil)
        let watch = WKInterfaceImage()
        watch.calotype.setImage(with: red, from: provider)
        #expect(watch.image?.cgImage?.provider.data.load(as: UInt32.self) == 0xFF00_00FF)
    }

    @Test func aHiddenViewLowersItsLoadByItself() {
        let (window, view) = (NSWindow(), makeView())
        window.contentView = view
        view.calotype.setImage(with: request("a"), from: provider)
        view.isHidden = true
        #expect(provider.loads[0].priority == .veryLow)
        view.isHidden = false
        #expect(provider.loads[0].priority == .normal)
        window.contentView = nil
        #expect(provider.loads[0].priority == .veryLow)
    }

    @Test func theLabelOfTheAppIsKept() {
        let button = NSButton()
        button.setAccessibilityLabel("Portrait")
        button.calotype.setImage(with: request("a") { $0.accessibilityLabel = "A cat" }, from: provider)
        #expect(button.accessibilityLabel() == "A cat" && button.isAccessibilityElement())
        button.calotype.setImage(with: request("b"), from: provider)
        #expect(button.accessibilityLabel() == "Portrait")
    }

    @Test func aSpinnerIsShownIfTheAppWantsOne() {
        let view = makeView()
        view.calotype.indicators = .spinner
        view.calotype.setImage(with: request("a"), from: provider)
        #expect((view.subviews.first?.subviews.first as? NSProgressIndicator)?.style == .spinning)
        view.calotype.cancel()
        #expect(view.subviews.first?.subviews.isEmpty == true)
    }

    /// FEATURES 11.9: a view sizes its own requests.
    @Test func aViewAsksForItsSizeInPixelsAndAgainWhenItGrows() {
        let (window, view) = (NSWindow(), NSImageView())
        window.contentView = view
        view.calotype.setImage(with: request("a"), from: provider)
        #expect(provider.loads.isEmpty)
        view.setFrameSize(NSSize(width: 20, height: 10))
        window.backingScaleFactor = 3
        view.subviews.first?.viewDidChangeBackingProperties()
        view.imageScaling = .scaleAxesIndependently
        view.layoutSubtreeIfNeeded()
        let options = provider.loads.map(\.request.options)
        #expect(
            options.map(\.targetSize) == [
                PixelSize(width: 40, height: 20), PixelSize(width: 60, height: 30), PixelSize(width: 60, height: 30),
            ])
        #expect(options.map(\.contentMode) == [.fit, .fit, .exact])
        view.imageScaling = .scaleNone
        view.calotype.setImage(with: request("b"), from: provider)
        #expect(provider.loads[3].request.options.targetSize == nil)
    }
}
