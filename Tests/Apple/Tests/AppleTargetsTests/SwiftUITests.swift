import Calotype
import CalotypeTesting
import CoreGraphics
import ImageTargets
import SwiftUI
import Testing

/// The views of SwiftUI, shown by a stub that follows its rules for state, bodies and `onAppear`.
@Suite(.timeLimit(.minutes(1))) @MainActor struct SwiftUIViews {
    private let provider = ScriptedProvider()
    private let broken = ImageError(.corrupt, message: "Broken.")

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var options = OptionLayer()
        change(&options)
        return ImageRequest(.bytes(Data(), id: name), options: options)
    }

    private func host(_ view: some View) -> SwiftUIHost { SwiftUIHost(view) { $0.imageLoader = provider } }

    private func red(_ host: SwiftUIHost) -> [UInt8] {
        host.views(Image.self).map { $0.cgImage.provider.data.load(as: UInt8.self) }
    }
    /// The colours of the content. The clear colour measures the size.
    private func colors(_ host: SwiftUIHost) -> [[Double]] {
        host.views(Color.self).filter { $0 != .clear }.map(\.components)
    }
    private func texts(_ host: SwiftUIHost) -> [String] { host.views(Text.self).map(\.text) }

    // MARK: Loading

    @Test func aViewLoadsWhenItAppearsAndShowsItsImageInTheScaleOfTheScreen() async throws {
        let done = EventLog<Void>()
        let host = host(CalotypeImage(request("a")) { Text("wait") }.onCompletion { _ in done.append(()) })
        #expect(provider.loads.count == 1 && texts(host) == ["wait"])
        provider.loads[0].succeed(try TestImages.solid(red: 4))
        await done.wait(forCount: 1)
        #expect(red(host) == [4] && texts(host) == [])
        #expect(host.views(Image.self).allSatisfy { $0.isResizable && $0.scale == 2 })
    }

    @Test func aViewUsesTheSharedLoaderWithoutSetUp() {
        var environment = EnvironmentValues()
        #expect(environment.imageLoader as AnyObject === ImageLoader.shared)
        environment.imageLoader = provider
        #expect(environment.imageLoader as AnyObject === provider)
    }

    @Test func contentThatIsEmptyAtFirstLoads() async throws {
        let done = EventLog<Void>()
        let host = host(
            CalotypePhaseView(request("a"), completion: { _ in done.append(()) }) { phase in
                if case .success = phase { Text("done") }
            })
        #expect(provider.loads.count == 1 && texts(host) == [])
        provider.loads[0].succeed(try TestImages.solid())
        await done.wait(forCount: 1)
        #expect(texts(host) == ["done"])
        #expect(self.host(CalotypeImage(request("b")) { EmptyView() }).views(Image.self).isEmpty)
        #expect(provider.loads.count == 2)
    }

    @Test func aViewWhoseContentChangesStaysOnScreen() async throws {
        let previews = EventLog<Void>()
        let host = host(
            CalotypePhaseView(request("a") { $0.offScreenPolicy = .cancels }) { phase in
                switch phase {
                case .success(let image): Text("preview \(image.isPreview)")
                default: Text("wait")
                }
            })
        var preview = try TestImages.solid()
        preview.isPreview = true
        provider.loads[0].send(.preview(preview))
        while texts(host) != ["preview true"] { await Task.yield() }
        previews.append(())
        #expect(!provider.loads[0].isCancelled && provider.loads.count == 1)
    }

    @Test func aViewThatIsGoneCancelsItsLoad() {
        var host: SwiftUIHost? = host(CalotypeImage(request("a")) { Text("wait") })
        #expect(host?.shown.isEmpty == false && !provider.loads[0].isCancelled)
        host = nil
        #expect(provider.loads[0].isCancelled)
        // A view that another one replaces.
        let other = self.host(CalotypeImage(request("b")) { Text("wait") })
        other.show(Text("other"))
        #expect(provider.loads[1].isCancelled)
    }

    @Test func anotherRequestOrLoaderLoadsAgain() {
        func view(_ name: String, _ size: PixelSize? = nil) -> some View {
            CalotypeImage(request(name) { $0.targetSize = size }) { Text("wait") }
        }
        let (host, other) = (host(view("a")), ScriptedProvider())
        host.show(view("a"))
        #expect(provider.loads.count == 1)
        host.show(view("b"))
        #expect(provider.loads.map(\.isCancelled) == [true, false])
        host.show(view("b", PixelSize(9)))
        #expect(provider.loads.map(\.isCancelled) == [true, true, false])
        host.change { $0.imageLoader = other }
        #expect(provider.loads.map(\.isCancelled) == [true, true, true] && other.loads.count == 1)
    }

    /// FEATURES 1.13: optional URLs in view calls.
    @Test func aViewWithoutAURLLoadsNothing() {
        #expect(texts(host(CalotypeImage(url: nil) { Text("wait") })) == ["wait"] && provider.loads.isEmpty)
        _ = host(CalotypeImage(url: URL(string: "test://a"), size: PixelSize(9)))
        #expect(provider.loads.map(\.request.options.targetSize) == [PixelSize(9)])
    }

    // MARK: Phases

    private func name(_ phase: ImagePhase) -> String {
        switch phase {
        case .empty: "empty"
        case .loading(let progress): "loading \(progress?.received ?? 0)"
        case .success: "success"
        case .failure: "failure"
        }
    }

    @Test func phasesHaveNoGaps() async throws {
        let model = ImagePhaseModel(loader: provider)
        var phases: [String] = []
        model.onChange = { phases.append(name($0)) }
        let done = EventLog<Void>()
        model.show(request("a")) { _ in done.append(()) }
        provider.loads[0].send(.progress(LoadProgress(received: 3, expected: 4)))
        provider.loads[0].succeed(try TestImages.solid())
        await done.wait(forCount: 1)
        #expect(phases == ["loading 0", "loading 3", "success"])
        phases = []
        model.show(request("b") { $0.failureImage = try! TestImages.solid(red: 8) }) { _ in done.append(()) }
        provider.loads[1].fail(broken)
        await done.wait(forCount: 2)
        #expect(phases == ["loading 0", "failure"] && model.failureImage.map { TestImages.pixel(of: $0, x: 0, y: 0)[0] } == 8)
        phases = []
        provider.cache(try TestImages.solid(), for: request("c"))
        model.show(request("c"))
        model.show(request("d") { $0.placeholder = .color(red: 1, green: 0, blue: 0, alpha: 1) })
        #expect(phases == ["success", "loading 0"])
        // Cancelled by the loader, not by the view.
        provider.loads[2].cancel()
        while phases.count < 3 { await Task.yield() }
        #expect(phases == ["success", "loading 0", "empty"])
    }

    @Test func progressEvaluatesOnlyContentThatShowsIt() async throws {
        func evaluations(_ view: some View) async throws -> [String: Int] {
            let (host, first) = (host(view), provider.loads.count - 1)
            let before = host.evaluations
            for received in 1...5 {
                provider.loads[first].send(.progress(LoadProgress(received: received, expected: 9)))
                for _ in 0..<20 { await Task.yield() }
                host.update()
            }
            return host.evaluations.merging(before) { $0 - $1 }
        }
        let image = try await evaluations(CalotypeImage(request("a")) { Text("wait") })
        #expect(image.values.allSatisfy { $0 == 0 })
        let phases = try await evaluations(CalotypePhaseView(request("b")) { Text(name($0)) })
        #expect(phases["PhaseContent"] == 5 && phases["PhaseContainer"] == 0 && phases["CalotypePhaseView"] == 0)
    }

    /// FEATURES 11.9: a view sizes its own requests.
    @Test func aViewAsksForTheSizeThatItIsOffered() {
        let host = host(CalotypeImage(request("a")).contentMode(.fill).frame(width: 60, height: 40))
        let options = provider.loads[0].request.options
        #expect(options.targetSize == PixelSize(width: 120, height: 80) && options.contentMode == .fill)
        host.show(CalotypeImage(request("a")).contentMode(.fill).frame(width: 90, height: 40))
        #expect(provider.loads.map(\.request.options.targetSize).last == PixelSize(width: 180, height: 80))
        let none = self.host(CalotypeImage(request("b")).frame(width: 0, height: 40))
        #expect(provider.loads.count == 2 && none.views(Image.self).isEmpty)
    }

    @Test func aPhaseViewAsksForTheSizeThatItIsOfferedUnlessItsRequestSetsOne() {
        func load(_ change: (inout OptionLayer) -> Void = { _ in }) -> (options: OptionLayer, takesItsOffer: Bool) {
            let host = host(CalotypePhaseView(request("a", change)) { _ in EmptyView() }.frame(width: 60, height: 40))
            return (provider.loads[provider.loads.count - 1].request.options, !host.views(Color.self).isEmpty)
        }
        let plain = load()
        #expect(plain.options.targetSize == PixelSize(width: 120, height: 80) && plain.options.contentMode == .fit)
        #expect(plain.takesItsOffer && load { $0.contentMode = .fill }.options.contentMode == .fill)
        // The content decides about the size of the view: nothing in it takes the size that is offered.
        let sized = load { $0.targetSize = PixelSize(9) }
        #expect(sized.options.targetSize == PixelSize(9) && !sized.takesItsOffer)
        let full = load { $0.sizesToTarget = false }
        #expect(full.options.targetSize == nil && !full.takesItsOffer)
        let url = URL(string: "test://a")
        #expect(host(CalotypePhaseView(url: url, size: PixelSize(9)) { _ in Text("wait") }).views(Color.self).isEmpty)
        #expect(!host(CalotypePhaseView(url: url) { _ in Text("wait") }).views(Color.self).isEmpty)
    }

    // MARK: Options

    @Test func theOptionsPlaceholderAndFailureImageAreShown() async throws {
        let done = EventLog<Void>()
        let colored = request("a") {
            $0.placeholder = .color(red: 1, green: 0, blue: 0, alpha: 1)
            $0.failureImage = try! TestImages.solid(red: 8)
        }
        let first = host(CalotypeImage(colored).onCompletion { _ in done.append(()) })
        #expect(colors(first) == [[1, 0, 0, 1]])
        provider.loads[0].fail(broken)
        await done.wait(forCount: 1)
        #expect(red(first) == [8] && colors(first) == [])
        let second = host(CalotypeImage(request("b") { $0.placeholder = .image(try! TestImages.solid(red: 3)) }))
        #expect(red(second) == [3])
    }

    @Test func modifiersChangeTheRequestAndTheViews() async throws {
        let log = EventLog<String>()
        let url = URL(string: "test://a")
        let view = CalotypeImage(url: url)
            .placeholder { Text("wait") }
            .failure { Text($0.message) }
            .transition(.fade(.milliseconds(250)))
            .priority(.high)
            .onSuccess { _ in log.append("success") }
            .onFailure { log.append($0.message) }
        let host = host(view)
        let options = provider.loads[0].request.options
        #expect(texts(host) == ["wait"] && options.priority == .high && options.transition == .fade(.milliseconds(250)))
        provider.loads[0].fail(broken)
        await log.wait(forCount: 1)
        #expect(texts(host) == ["Broken."] && log.events == ["Broken."])

        Animation.started = []
        let fading = self.host(view.content { _ in Text("image") })
        provider.loads[1].succeed(try TestImages.solid())
        await log.wait(forCount: 2)
        #expect(texts(fading) == ["image"] && log.events.last == "success" && Animation.started == [0.25])
        let like = self.host(
            CalotypeImage(url: url) {
                $0.resizable()
            } placeholder: {
                Text("wait")
            })
        #expect(texts(like) == ["wait"])
    }

    @Test func reducedMotionShowsImagesWithoutAnAnimation() async throws {
        let done = EventLog<Void>()
        let view = CalotypeImage(request("a") { $0.transition = .fade(.milliseconds(250)) }).onCompletion { _ in done.append(()) }
        let host = SwiftUIHost(Text("before")) { $0.imageLoader = provider }
        host.setReducedMotion(true)
        host.show(view)
        Animation.started = []
        provider.loads[0].succeed(try TestImages.solid())
        await done.wait(forCount: 1)
        #expect(Animation.started.isEmpty && host.views(Image.self).count == 1)
    }

    @Test func aLabelMakesTheContentOneImageForScreenReaders() {
        func labels(_ label: String?) -> [Accessibility] {
            let view = CalotypePhaseView(request("a") { $0.accessibilityLabel = label }) { _ in Text("ready") }
            return host(view).shown.filter { $0.view is Text }.map(\.accessibility)
        }
        #expect(labels("A cat") == [Accessibility(label: "A cat", isOneElement: true, isImage: true)])
        #expect(labels(nil) == [Accessibility()])
    }

    @Test func evaluatingABodyAgainMakesNoNewImage() async throws {
        provider.cache(try TestImages.solid(), for: request("a"))
        let view = CalotypeImage(request("a"))
        let host = host(view)
        let first = host.views(Image.self).first?.cgImage
        host.show(view)
        #expect(first != nil && host.views(Image.self).first?.cgImage === first)
    }
}
