import Calotype
import CalotypeTesting
import Testing
import UIKit

/// The views of UIKit, with stubs that follow its rules and record what is set.
@Suite(.timeLimit(.minutes(1))) @MainActor struct UIKitViews {
    private let provider = ScriptedProvider()

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var options = OptionLayer()
        change(&options)
        return ImageRequest(.bytes(Data(), id: name), options: options)
    }

    /// A view that was laid out.
    private func makeView() -> UIImageView { UIImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40)) }

    private func red(_ image: UIImage?) -> UInt8? { image?.cgImage?.provider.data.load(as: UInt8.self) }

    @Test func aMemoryHitIsShownWithinTheCallAndItsPixelsAreNotCopied() throws {
        let view = makeView()
        let image = try TestImages.solid(red: 7)
        provider.cache(image, for: request("a"))
        var tier: CacheTier?
        view.calotype.setImage(with: request("a"), from: provider) { tier = try? $0.get().tier }
        #expect(tier == .memory && red(view.image) == 7)
        let address = image.bitmap.withUnsafePixels { $0.baseAddress }
        #expect(view.image?.cgImage?.provider.data == address)
        #expect(view.calotype.currentSource?.description == request("a").source.description)
    }

    @Test func aNewRequestCancelsTheOldOneAndItsImageFadesIn() async throws {
        let view = makeView()
        let done = EventLog<Void>()
        view.calotype.setImage(with: request("old"), from: provider)
        view.calotype.setImage(
            with: request("new") {
                $0.transition = .fade(.milliseconds(500))
                $0.placeholder = .color(red: 1, green: 0, blue: 0, alpha: 1)
                $0.accessibilityLabel = "New"
            }, from: provider
        ) { _ in done.append(()) }
        #expect(provider.loads.map(\.isCancelled) == [true, false])
        #expect(view.appearance.backgroundColor?.components == [1, 0, 0, 1] && view.accessibilityLabel == "New")
        provider.loads[1].succeed(try TestImages.solid(red: 9))
        await done.wait(forCount: 1)
        #expect(red(view.image) == 9 && view.transitions == [0.5] && view.appearance.backgroundColor == nil)
        // The image fades in over its placeholder.
        #expect(view.previousAppearance?.backgroundColor?.components == [1, 0, 0, 1] && view.previousAppearance?.image == nil)
    }

    /// FEATURES 1.13: optional URLs in view calls.
    @Test func aURLThatIsNilCancelsTheLoadAndShowsNothing() throws {
        let view = makeView()
        let url = URL(string: "test://a")
        view.calotype.setImage(with: url, size: PixelSize(9), from: provider)
        #expect(provider.loads.map(\.request.options.targetSize) == [PixelSize(9)])
        provider.loads[0].send(.preview(try TestImages.solid(red: 5)))
        var code: ImageError.Code?
        view.calotype.setImage(with: nil as URL?, from: provider) { result in
            if case .failure(let failure) = result { code = failure.code }
        }
        #expect(provider.loads.map(\.isCancelled) == [true] && view.image == nil && code == .invalidRequest)
        #expect(view.calotype.currentSource == nil)
    }

    @Test func cancellingKeepsTheImageAndClearingRemovesIt() throws {
        let view = makeView()
        provider.cache(try TestImages.solid(red: 5), for: request("a"))
        view.calotype.setImage(with: request("a"), from: provider)
        view.calotype.setImage(with: request("b") { $0.placeholder = .image(try! TestImages.solid(red: 6)) }, from: provider)
        view.calotype.cancel()
        #expect(provider.loads.map(\.isCancelled) == [true] && red(view.image) == 6)
        view.calotype.clear()
        #expect(view.image == nil && view.calotype.currentSource == nil)
    }

    @Test func aButtonShowsItsImageInTheNormalState() throws {
        let button = UIButton()
        provider.cache(try TestImages.solid(red: 8), for: request("a"))
        button.calotype.setImage(with: request("a"), from: provider)
        #expect(red(button.image(for: .normal)) == 8)
        // A system button shows other images as silhouettes.
        #expect(button.image(for: .normal)?.renderingMode == .alwaysOriginal)
    }

    @Test func imagesHaveTheScaleOfTheScreen() throws {
        let (window, view, button) = (UIWindow(), makeView(), UIButton())
        window.screenScale = 3
        window.addSubview(view)
        provider.cache(try TestImages.solid(width: 6, height: 3), for: request("a"))
        view.calotype.setImage(with: request("a"), from: provider)
        button.calotype.setImage(with: request("a"), from: provider)
        #expect(view.image?.size == CGSize(width: 2, height: 1))
        #expect(button.image(for: .normal)?.size == CGSize(width: 3, height: 1.5))
    }

    @Test func whatTheAppHasSetIsLeftAlone() throws {
        let view = makeView()
        let grey = UIColor(red: 0.5, green: 0.5, blue: 0.5, alpha: 1)
        (view.backgroundColor, view.accessibilityLabel) = (grey, "Portrait")
        view.calotype.setImage(with: request("a"), from: provider)
        #expect(view.accessibilityLabel == "Portrait")
        let colored = request("b") {
            $0.placeholder = .color(red: 1, green: 0, blue: 0, alpha: 1)
            $0.accessibilityLabel = "A cat"
        }
        view.calotype.setImage(with: colored, from: provider)
        // VoiceOver speaks labels of elements only.
        #expect(view.accessibilityLabel == "A cat" && view.isAccessibilityElement)
        view.calotype.setImage(with: request("c"), from: provider)
        #expect(view.accessibilityLabel == "Portrait" && !view.isAccessibilityElement)
        view.calotype.clear()
        #expect(view.backgroundColor === grey && view.appearance.backgroundColor === grey)
    }

    @Test func thePlaceholderOfTheAppStaysIfTheLoadFails() async throws {
        let (view, empty, done) = (makeView(), UIImage(systemName: "photo"), EventLog<Void>())
        let url = URL(string: "test://a")
        view.calotype.setImage(with: url, placeholder: empty, from: provider) { _ in done.append(()) }
        #expect(view.image === empty && view.calotype.currentURL == url)
        provider.loads[0].fail(ImageError(.corrupt, message: "Broken."))
        await done.wait(forCount: 1)
        #expect(view.image === empty)
        view.calotype.clear()
        #expect(view.image == nil && view.calotype.currentURL == nil)
    }

    @Test func anotherPlaceholderOfTheAppTakesEffectForTheSameURL() async throws {
        let (view, first, second) = (makeView(), UIImage(systemName: "photo"), UIImage(systemName: "star"))
        let url = URL(string: "test://a")
        view.calotype.setImage(with: url, placeholder: first, from: provider)
        view.calotype.setImage(with: url, placeholder: second, from: provider)
        #expect(view.image === second && provider.loads.count == 1)
        view.calotype.setImage(with: url, from: provider)
        #expect(view.image == nil && provider.loads.count == 1)
    }

    @Test func optionsAndProgressArePassed() async throws {
        let (view, done) = (makeView(), EventLog<Int>())
        var options = OptionLayer()
        options.priority = .high
        view.calotype.setImage(
            with: URL(string: "test://a"), options: options, from: provider
        ) { _ in
            done.append(-1)
        } progress: {
            done.append($0.received)
        }
        #expect(provider.loads[0].request.options.priority == .high)
        provider.loads[0].send(.progress(LoadProgress(received: 3, expected: 4)))
        await done.wait(forCount: 1)
        provider.loads[0].succeed(try TestImages.solid())
        await done.wait(forCount: 2)
        #expect(done.events == [3, -1])
    }

    /// The signs of a load that the view shows.
    private func signs(of view: UIView) -> [String] {
        view.subviews.flatMap(\.subviews).map { sign in
            if let bar = sign as? UIProgressView { return "progress \(bar.progress)" }
            return (sign as? UIImageView)?.image?.symbolName ?? "spinner"
        }
    }

    @Test func spinnerProgressAndFailureAreShownIfTheAppWantsThem() async throws {
        let (view, plain, log) = (makeView(), makeView(), EventLog<Void>())
        view.calotype.indicators = .all
        for view in [view, plain] {
            view.calotype.setImage(with: request("a"), from: provider) { _ in
                log.append(())
            } progress: { _ in
                log.append(())
            }
        }
        #expect(signs(of: view) == ["spinner"] && signs(of: plain) == [])
        for load in provider.loads { load.send(.progress(LoadProgress(received: 1, expected: 4))) }
        await log.wait(forCount: 2)
        #expect(signs(of: view) == ["progress 0.25"] && signs(of: plain) == [])
        for load in provider.loads { load.fail(ImageError(.corrupt, message: "Broken.")) }
        await log.wait(forCount: 4)
        #expect(signs(of: view) == ["exclamationmark.triangle"] && signs(of: plain) == [])
        provider.cache(try TestImages.solid(), for: request("b"))
        view.calotype.setImage(with: request("b"), from: provider)
        #expect(signs(of: view) == [])
    }

    @Test func aViewThatLeavesItsWindowLowersItsLoadByItself() {
        let (window, view) = (UIWindow(), UIImageView(frame: CGRect(x: 0, y: 0, width: 9, height: 9)))
        view.calotype.setImage(with: request("a"), from: provider)
        // A cell is configured before it is added to its list.
        #expect(provider.loads[0].priority == .normal)
        window.addSubview(view)
        #expect(provider.loads[0].priority == .normal)
        view.removeFromSuperview()
        #expect(provider.loads[0].priority == .veryLow)
        window.addSubview(view)
        #expect(provider.loads[0].priority == .normal)
    }

    @Test func visibilityIsKeptBeforeTheFirstRequestAndForAnotherLoader() {
        let (view, other) = (makeView(), ScriptedProvider())
        view.calotype.setVisible(false)
        view.calotype.setImage(with: request("a"), from: provider)
        #expect(provider.loads[0].priority == .veryLow)
        view.calotype.setImage(with: request("a"), from: other)
        #expect(provider.loads[0].isCancelled && other.loads[0].priority == .veryLow)
        view.calotype.setVisible(true)
        #expect(other.loads[0].priority == .normal)
    }

    /// FEATURES 11.9: a view sizes its own requests.
    @Test(arguments: [
        (UIView.ContentMode.scaleAspectFit, ImageContentMode.fit), (.scaleAspectFill, .fill), (.scaleToFill, .exact),
    ])
    func aViewAsksForItsSizeInPixels(_ mode: UIView.ContentMode, _ expected: ImageContentMode) {
        let (window, view) = (UIWindow(), UIImageView(frame: CGRect(x: 0, y: 0, width: 60, height: 40)))
        (window.screenScale, view.contentMode) = (3, mode)
        window.addSubview(view)
        view.calotype.setImage(with: request("a"), from: provider)
        let options = provider.loads[0].request.options
        #expect(options.targetSize == PixelSize(width: 180, height: 120) && options.contentMode == expected)
        // An option of the request is kept.
        view.calotype.setImage(with: request("b") { $0.targetSize = PixelSize(9) }, from: provider)
        #expect(provider.loads[1].request.options.targetSize == PixelSize(9))
    }

    @Test func aViewThatWasNotLaidOutWaitsForItsSizeAndAGrowingOneLoadsAgain() throws {
        let (window, view) = (UIWindow(), UIImageView())
        window.addSubview(view)
        view.calotype.setImage(with: request("a"), from: provider)
        #expect(provider.loads.isEmpty)
        view.bounds.size = CGSize(width: 10, height: 10)
        window.layoutIfNeeded()
        #expect(provider.loads.map(\.request.options.targetSize) == [PixelSize(20)])
        view.bounds.size = CGSize(width: 30, height: 30)
        window.layoutIfNeeded()
        #expect(provider.loads.map(\.request.options.targetSize) == [PixelSize(20), PixelSize(60)])
    }

    @Test func viewsThatTakeTheSizeOfTheirImageLoadItInFullSize() {
        let (window, view, centered, button) = (UIWindow(), UIImageView(), UIImageView(), UIButton())
        for view in [view, centered, button] { window.addSubview(view) }
        centered.contentMode = .center
        for view in [view, centered] { view.calotype.setImage(with: request("a"), from: provider) }
        button.calotype.setImage(with: request("a"), from: provider)
        #expect(provider.loads.count == 2)
        // It has no size after layout either.
        window.layoutIfNeeded()
        #expect(provider.loads.map(\.request.options.targetSize) == [nil, nil, nil])
    }

    @Test func anotherViewNeedsOneMethodToShowImages() throws {
        let card = CardView()
        provider.cache(try TestImages.solid(red: 6), for: request("a"))
        card.calotype.setImage(with: request("a"), from: provider)
        #expect(red(card.shown) == 6)
    }

    @Test func imageViewsConform() async throws {
        let view = makeView()
        let adapter = PlatformViewAdapter(showing: view)
        try await checkImageViewAdapterConformance(of: adapter) { _ in await MainActor.run { appearance(of: view) } }
    }

    @Test func imageViewsShowTheRequestedImagesInRandomPrograms() async throws {
        // Adapters refer weakly to their views. Each view is retained until another adapter has the same identifier.
        var views: [ObjectIdentifier: UIImageView] = [:]
        try await checkImageViewAdapterPrograms(
            makeView: { () -> PlatformViewAdapter in
                let view = makeView()
                let adapter = PlatformViewAdapter(showing: view)
                views[ObjectIdentifier(adapter)] = view
                return adapter
            },
            appearance: { adapter in views[ObjectIdentifier(adapter)].map(appearance(of:)) ?? ViewAppearance(color: []) })
    }

    private func appearance(of view: UIImageView) -> ViewAppearance {
        guard let image = view.image?.cgImage else {
            let color = view.appearance.backgroundColor?.components.prefix(3).map { UInt8($0 * 255) } ?? []
            return ViewAppearance(color: color, label: view.accessibilityLabel ?? "")
        }
        let start = image.provider.data.assumingMemoryBound(to: UInt8.self)
        let color = image.space.name == "gray" ? [start[0], start[0], start[0]] : [start[0], start[1], start[2]]
        return ViewAppearance(color: color, label: view.accessibilityLabel ?? "")
    }

    @Test func aCGImageRetainsThePixelsOfItsBitmap() throws {
        let image = try #require(try TestImages.solid(width: 300, height: 300, red: 3).bitmap.makeCGImage())
        #expect(image.provider.data.load(fromByteOffset: image.bytesPerRow * 299, as: UInt8.self) == 3)
        // The image is made once, and neither retains the other.
        var bitmap: Bitmap? = try TestImages.solid().bitmap
        weak let first = bitmap?.makeCGImage()
        #expect(first != nil && first === bitmap?.makeCGImage())
        bitmap = nil
        #expect(first == nil)
        let gray = try unsafe Bitmap(size: PixelSize(width: 2, height: 2), format: .gray16, alpha: .opaque) { _, _ in }
        #expect(gray.makeCGImage()?.bitmapInfo.contains(.byteOrder16Little) == true)
    }
}

private final class CardView: UIView, PlatformImageView {
    var calotype: CalotypeView<CardView> { CalotypeView(self) }
    private(set) var shown: UIImage?
    func calotypeShow(_ image: UIImage?, fade: Duration?) { shown = image }
}
