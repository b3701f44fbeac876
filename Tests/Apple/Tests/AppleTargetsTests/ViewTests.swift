import AppKit
import CalotypeTesting
import CoreGraphics
import ImageCore
import ImageTargets
import SwiftUI
import Testing
import UIKit

/// The logic of the views for Apple's frameworks, tested with stubs that record what is set.
@Suite @MainActor struct UIKitViews {
    private let provider = ScriptedProvider()

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var options = OptionLayer()
        change(&options)
        return ImageRequest(.bytes(Data(), id: name), options: options)
    }

    private func red(_ image: UIImage?) -> UInt8? { image?.cgImage?.provider.data.load(as: UInt8.self) }

    @Test func aMemoryHitIsShownWithinTheCallAndItsPixelsAreNotCopied() throws {
        let view = UIImageView()
        let image = try TestImages.solid(red: 7)
        provider.cache(image, for: request("a"))
        var tier: CacheTier?
        view.calotype.setImage(with: request("a"), from: provider) { tier = try? $0.get().tier }
        #expect(tier == .memory && red(view.image) == 7)
        let address = unsafe image.bitmap.withUnsafePixels { unsafe $0.baseAddress }
        #expect(view.image?.cgImage?.provider.data == address)
        #expect(view.calotype.currentSource?.description == request("a").source.description)
    }

    @Test func aNewRequestCancelsTheOldOneAndItsImageFadesIn() async throws {
        let view = UIImageView()
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
        #expect(view.backgroundColor?.components == [1, 0, 0, 1] && view.accessibilityLabel == "New")
        provider.loads[1].succeed(try TestImages.solid(red: 9))
        await done.wait(forCount: 1)
        #expect(red(view.image) == 9 && view.transitions == [0.5] && view.backgroundColor == nil)
        // The image fades in over its placeholder.
        #expect(view.previousAppearance?.backgroundColor?.components == [1, 0, 0, 1] && view.previousAppearance?.image == nil)
    }

    /// FEATURES 1.13: optional URLs in view calls.
    @Test func aURLThatIsNilCancelsTheLoadAndShowsNothing() throws {
        let view = UIImageView()
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
        let view = UIImageView()
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
    }

    @Test func imageViewsConform() async throws {
        let view = UIImageView()
        let adapter = PlatformViewAdapter(showing: view)
        try await checkImageViewAdapterConformance(of: adapter) { _ in await MainActor.run { appearance(of: view) } }
    }

    @Test func imageViewsShowTheRequestedImagesInTenThousandPrograms() async throws {
        // Adapters refer weakly to their views. Each view is retained until another adapter has the same identifier.
        var views: [ObjectIdentifier: UIImageView] = [:]
        try await checkImageViewAdapterPrograms(
            makeView: { () -> PlatformViewAdapter in
                let view = UIImageView()
                let adapter = PlatformViewAdapter(showing: view)
                views[ObjectIdentifier(adapter)] = view
                return adapter
            },
            appearance: { adapter in views[ObjectIdentifier(adapter)].map(appearance(of:)) ?? ViewAppearance(color: []) })
    }

    private func appearance(of view: UIImageView) -> ViewAppearance {
        guard let image = view.image?.cgImage else {
            let color = view.backgroundColor?.components.prefix(3).map { UInt8($0 * 255) } ?? []
            return ViewAppearance(color: color, label: view.accessibilityLabel ?? "")
        }
        let start = image.provider.data.assumingMemoryBound(to: UInt8.self)
        let color = image.space.name == "gray" ? [start[0], start[0], start[0]] : [start[0], start[1], start[2]]
        return ViewAppearance(color: color, label: view.accessibilityLabel ?? "")
    }

    @Test func aCGImageRetainsThePixelsOfItsBitmap() throws {
        let image = try #require(try TestImages.solid(width: 300, height: 300, red: 3).bitmap.makeCGImage())
        #expect(image.provider.data.load(fromByteOffset: image.bytesPerRow * 299, as: UInt8.self) == 3)
        let gray = try unsafe Bitmap(size: PixelSize(width: 2, height: 2), format: .gray16, alpha: .opaque) { _, _ in }
        #expect(gray.makeCGImage()?.bitmapInfo.contains(.byteOrder16Little) == true)
    }
}

@Suite @MainActor struct OtherFrameworks {
    private let provider = ScriptedProvider()
    private func request(_ name: String) -> ImageRequest { ImageRequest(.bytes(Data(), id: name)) }

    @Test func appKitViewsShowTheImageInItsSize() throws {
        let (view, button) = (NSImageView(), NSButton())
        provider.cache(try TestImages.solid(width: 6, height: 5, red: 2), for: request("a"))
        view.calotype.setImage(with: request("a"), from: provider)
        button.calotype.setImage(with: request("a"), from: provider)
        #expect(view.image?.size == NSSize(width: 6, height: 5) && button.image != nil)
    }

    @Test func phasesFollowTheLoadToSuccessOrFailure() async throws {
        let model = ImagePhaseModel(loader: provider)
        var phases: [String] = []
        model.onChange = { phase in
            switch phase {
            case .empty: phases.append("empty")
            case .loading(let progress): phases.append("loading \(progress?.received ?? 0)")
            case .success: phases.append("success")
            case .failure: phases.append("failure")
            }
        }
        let done = EventLog<Void>()
        model.show(request("a")) { _ in done.append(()) }
        provider.loads[0].send(.progress(LoadProgress(received: 3, expected: 4)))
        provider.loads[0].succeed(try TestImages.solid())
        await done.wait(forCount: 1)
        #expect(phases == ["empty", "loading 0", "loading 3", "empty", "success"])
        model.show(request("b")) { _ in done.append(()) }
        provider.loads[1].fail(ImageError(.corrupt, message: "Broken."))
        await done.wait(forCount: 2)
        #expect(phases.last == "failure")
    }

    @Test func aSwiftUIViewUsesTheLoaderOfItsEnvironment() async throws {
        EnvironmentValues.current.imageLoader = provider
        defer { EnvironmentValues.current.imageLoader = nil }
        let done = EventLog<Void>()
        let view = CalotypeImage(request("a")) { Text("placeholder") }.onCompletion { _ in done.append(()) }
        let phases = view.body
        appear(phases)
        #expect(provider.loads.count == 1)
        provider.loads[0].succeed(try TestImages.solid(red: 4))
        await done.wait(forCount: 1)
    }

    /// FEATURES 1.13: optional URLs in view calls.
    @Test func aSwiftUIViewWithoutAURLLoadsNothing() {
        EnvironmentValues.current.imageLoader = provider
        defer { EnvironmentValues.current.imageLoader = nil }
        appear(CalotypeImage(url: nil) { Text("placeholder") }.body)
        #expect(provider.loads.isEmpty)
        appear(CalotypeImage(url: URL(string: "test://a"), size: PixelSize(9)) { Text("placeholder") }.body)
        #expect(provider.loads.map(\.request.options.targetSize) == [PixelSize(9)])
    }

    @Test func aPhaseViewHasTheLabelOfItsRequestOnly() {
        func labels(_ label: String?) -> [String] {
            var request = request("a")
            request.options.accessibilityLabel = label
            return modifiers(of: CalotypePhaseView(request) { _ in Text("ready") }).compactMap { ($0["label"] as? Text)?.text }
        }
        #expect(labels("A cat") == ["A cat"])
        #expect(labels(nil) == [])
    }

    @Test func aPhaseViewObservesEveryRequestForAnotherImage() {
        func observedValues(_ change: (inout ImageRequest) -> Void) -> [AnyHashable] {
            var request = request("a")
            change(&request)
            EnvironmentValues.current.imageLoader = ScriptedProvider()
            defer { EnvironmentValues.current.imageLoader = nil }
            return modifiers(of: CalotypePhaseView(request) { _ in Text("ready") }).compactMap {
                $0["observedValue"] as? AnyHashable
            }
        }
        let first = observedValues { _ in }
        #expect(first.count == 1 && first == observedValues { $0.options.accessibilityLabel = "A cat" })
        #expect(first != observedValues { $0 = request("b") })
        #expect(first != observedValues { $0.options.targetSize = PixelSize(width: 9, height: 9) })
    }

    /// Runs the `onAppear` actions of a view, outermost first, as SwiftUI does when it shows the view.
    private func appear(_ view: any View) {
        for modifier in modifiers(of: view) { if let action = modifier["appear"] as? () -> Void { action() } }
    }

    /// The modifiers of a view, each as a dictionary of its properties, outermost first.
    private func modifiers(of view: any View) -> [[String: Any]] {
        func body(of view: some View) -> any View { view.body }
        var (next, found): (Any, [[String: Any]]) = (body(of: view), [])
        while true {
            let properties = Dictionary(
                Mirror(reflecting: next).children.compactMap { child in child.label.map { ($0, child.value) } },
                uniquingKeysWith: { $1 })
            if let branch = properties["first"] ?? properties["second"] {
                next = branch
                continue
            }
            guard let content = properties["content"] else { return found }
            // Optional properties are unwrapped, and left out if they are `nil`.
            found.append(
                properties.compactMapValues {
                    Mirror(reflecting: $0).displayStyle == .optional ? Mirror(reflecting: $0).children.first?.value : $0
                })
            next = content
        }
    }
}
