import AppKit
import CalotypeTesting
import CoreGraphics
import ImageCore
import ImageTargets
import SwiftUI
import Testing
import UIKit

/// The logic of the adapters for Apple's frameworks, run against stubs that record.
@Suite @MainActor struct UIKitViews {
    private let provider = ScriptedProvider()

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var options = OptionLayer()
        change(&options)
        return ImageRequest(.bytes(Data(), id: name), options: options)
    }

    private func red(_ image: UIImage?) -> UInt8? { image?.cgImage?.provider.data.load(as: UInt8.self) }

    @Test func aMemoryHitShowsWithinTheCallAndThePixelsAreNotCopied() throws {
        let view = UIImageView()
        let picture = try TestPictures.solid(red: 7)
        provider.cache(picture, for: request("a"))
        var tier: CacheTier?
        view.calotype.setImage(with: request("a"), from: provider) { tier = try? $0.get().tier }
        #expect(tier == .memory && red(view.image) == 7)
        let address = unsafe picture.bitmap.withUnsafePixels { unsafe $0.baseAddress }
        #expect(view.image?.cgImage?.provider.data == address)
        #expect(view.calotype.currentSource?.description == request("a").source.description)
    }

    @Test func aNewRequestCancelsTheOldOneAndFadesIn() async throws {
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
        provider.loads[1].succeed(try TestPictures.solid(red: 9))
        await done.wait(forCount: 1)
        #expect(red(view.image) == 9 && view.transitions == [0.5] && view.backgroundColor == nil)
        // It fades in over its placeholder.
        #expect(view.lookBefore?.backgroundColor?.components == [1, 0, 0, 1] && view.lookBefore?.image == nil)
    }

    @Test func cancellingKeepsWhatIsShownAndClearingDoesNot() throws {
        let view = UIImageView()
        provider.cache(try TestPictures.solid(red: 5), for: request("a"))
        view.calotype.setImage(with: request("a"), from: provider)
        view.calotype.setImage(with: request("b") { $0.placeholder = .image(try! TestPictures.solid(red: 6)) }, from: provider)
        view.calotype.cancel()
        #expect(provider.loads.map(\.isCancelled) == [true] && red(view.image) == 6)
        view.calotype.clear()
        #expect(view.image == nil && view.calotype.currentSource == nil)
    }

    @Test func aButtonShowsItsImageInTheNormalState() throws {
        let button = UIButton()
        provider.cache(try TestPictures.solid(red: 8), for: request("a"))
        button.calotype.setImage(with: request("a"), from: provider)
        #expect(red(button.image(for: .normal)) == 8)
    }

    @Test func imageViewsKeepTheRulesOfAdapters() async throws {
        let view = UIImageView()
        let adapter = PlatformViewAdapter(showing: view)
        try await checkImageViewAdapterConformance(of: adapter) { _ in await MainActor.run { look(view) } }
    }

    @Test func imageViewsShowWhatTheyWereAskedForInTenThousandPrograms() async throws {
        // An adapter holds its view weakly; these are kept until their adapter's place is taken by another.
        var views: [ObjectIdentifier: UIImageView] = [:]
        try await checkImageViewAdapterPrograms(
            makeView: { () -> PlatformViewAdapter in
                let view = UIImageView()
                let adapter = PlatformViewAdapter(showing: view)
                views[ObjectIdentifier(adapter)] = view
                return adapter
            },
            look: { adapter in views[ObjectIdentifier(adapter)].map(look) ?? ViewAppearance(color: []) })
    }

    private func look(_ view: UIImageView) -> ViewAppearance {
        guard let image = view.image?.cgImage else {
            let color = view.backgroundColor?.components.prefix(3).map { UInt8($0 * 255) } ?? []
            return ViewAppearance(color: color, label: view.accessibilityLabel ?? "")
        }
        let start = image.provider.data.assumingMemoryBound(to: UInt8.self)
        let color = image.space.name == "gray" ? [start[0], start[0], start[0]] : [start[0], start[1], start[2]]
        return ViewAppearance(color: color, label: view.accessibilityLabel ?? "")
    }

    @Test func anImageOutlivesTheBitmapThatItIsMadeOf() throws {
        let image = try #require(try TestPictures.solid(width: 300, height: 300, red: 3).bitmap.makeCGImage())
        #expect(image.provider.data.load(fromByteOffset: image.bytesPerRow * 299, as: UInt8.self) == 3)
        let gray = try unsafe Bitmap(size: PixelSize(width: 2, height: 2), format: .gray16, alpha: .opaque) { _, _ in }
        #expect(gray.makeCGImage()?.bitmapInfo.contains(.byteOrder16Little) == true)
    }
}

@Suite @MainActor struct OtherFrameworks {
    private let provider = ScriptedProvider()
    private func request(_ name: String) -> ImageRequest { ImageRequest(.bytes(Data(), id: name)) }

    @Test func appKitViewsShowTheImageAtItsSize() throws {
        let (view, button) = (NSImageView(), NSButton())
        provider.cache(try TestPictures.solid(width: 6, height: 5, red: 2), for: request("a"))
        view.calotype.setImage(with: request("a"), from: provider)
        button.calotype.setImage(with: request("a"), from: provider)
        #expect(view.image?.size == NSSize(width: 6, height: 5) && button.image != nil)
    }

    @Test func phasesGoFromLoadingToTheImageAndToFailure() async throws {
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
        provider.loads[0].succeed(try TestPictures.solid())
        await done.wait(forCount: 1)
        #expect(phases == ["empty", "loading 0", "loading 3", "empty", "success"])
        model.show(request("b")) { _ in done.append(()) }
        provider.loads[1].fail(ImageError(.corrupt, message: "Broken."))
        await done.wait(forCount: 2)
        #expect(phases.last == "failure")
    }

    @Test func aSwiftUIViewLoadsFromTheEnvironment() async throws {
        EnvironmentValues.current.imageLoader = provider
        defer { EnvironmentValues.current.imageLoader = nil }
        let done = EventLog<Void>()
        let view = CalotypeImage(request("a")) { Text("placeholder") }.onCompletion { _ in done.append(()) }
        let phases = view.body
        appear(phases)
        #expect(provider.loads.count == 1)
        provider.loads[0].succeed(try TestPictures.solid(red: 4))
        await done.wait(forCount: 1)
    }

    @Test func aPhaseViewOnlyHasTheLabelThatItsRequestHas() {
        func labels(_ label: String?) -> [String] {
            var request = request("a")
            request.options.accessibilityLabel = label
            return parts(of: CalotypePhaseView(request) { _ in Text("ready") }).compactMap { ($0["label"] as? Text)?.text }
        }
        #expect(labels("A cat") == ["A cat"])
        #expect(labels(nil) == [])
    }

    @Test func aPhaseViewNoticesEveryRequestForAnotherImage() {
        func watched(_ change: (inout ImageRequest) -> Void) -> [AnyHashable] {
            var request = request("a")
            change(&request)
            EnvironmentValues.current.imageLoader = ScriptedProvider()
            defer { EnvironmentValues.current.imageLoader = nil }
            return parts(of: CalotypePhaseView(request) { _ in Text("ready") }).compactMap { $0["watched"] as? AnyHashable }
        }
        let first = watched { _ in }
        #expect(first.count == 1 && first == watched { $0.options.accessibilityLabel = "A cat" })
        #expect(first != watched { $0 = request("b") })
        #expect(first != watched { $0.options.targetSize = PixelSize(width: 9, height: 9) })
    }

    /// Runs what hangs on a view, outermost first, as a screen would.
    private func appear(_ view: any View) {
        for part in parts(of: view) { if let action = part["appear"] as? () -> Void { action() } }
    }

    /// What hangs on a view, by its names, outermost first.
    private func parts(of view: any View) -> [[String: Any]] {
        func body(of view: some View) -> any View { view.body }
        var (next, found): (Any, [[String: Any]]) = (body(of: view), [])
        while true {
            let parts = Dictionary(
                Mirror(reflecting: next).children.compactMap { child in child.label.map { ($0, child.value) } },
                uniquingKeysWith: { $1 })
            if let branch = parts["first"] ?? parts["second"] {
                next = branch
                continue
            }
            guard let content = parts["content"] else { return found }
            // What is there of those that may be missing.
            found.append(
                parts.compactMapValues {
                    Mirror(reflecting: $0).displayStyle == .optional ? Mirror(reflecting: $0).children.first?.value : $0
                })
            next = content
        }
    }
}
