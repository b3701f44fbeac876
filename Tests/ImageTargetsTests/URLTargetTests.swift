import CalotypeTesting
import ImageCore
import ImageLoading
import ImageTargets
import Testing

/// FEATURES 1.13: targets take URLs, which may be `nil`.
@Suite(.timeLimit(.minutes(1))) struct URLTargets {
    private let network = ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) }
    private let loader: ImageLoader
    private let view = RecordingView()
    private let url = URL(string: "http://example.org/a")!

    init() {
        loader = ImageLoader(.init(dataLoader: network, decoder: ScriptedDecoder(), memoryCache: LoggedMemoryCache()))
    }

    @Test func aTargetLoadsAURLAtASizeWithProcessors() async throws {
        let target = ImageTarget(view, loader: loader)
        let log = EventLog<String>()
        let sizes = EventLog<PixelSize?>()
        network.gate.open()
        await target.setImage(url, size: PixelSize(2), processors: [RecordingProcessor("p", log: log)]) {
            sizes.append(try? $0.get().image.size)
        }
        await sizes.wait(forCount: 1)
        #expect(sizes.events == [PixelSize(2)] && log.events == ["p"])
        await target.setImage(url)
        await view.wait { $0.last == .image(red: 7, .none) }
    }

    @Test func withoutAURLTheLoadIsCancelledAndThePlaceholderIsShown() async throws {
        let target = ImageTarget(view, loader: loader)
        loader.runtimeOptions.placeholder = .color(red: 0, green: 0, blue: 0, alpha: 1)
        let completed = EventLog<LoadFailure?>()
        await target.setImage(url) { _ in completed.append(nil) }
        await network.gate.waitForArrivals(1)
        let before = view.shown.count
        await target.setImage(nil) { result in
            if case .failure(let failure) = result { completed.append(failure) }
        }
        #expect(view.shown.dropFirst(before) == [.label(nil), .placeholder("color"), .loading(false)])
        #expect(completed.events.map { $0?.code } == [.invalidRequest])
        #expect(target.currentSource == nil)
        while network.cancelled == 0 { await Task.yield() }
        // The same URL may be set again.
        await target.setImage(url)
        network.gate.open()
        await view.wait { $0.last == .image(red: 7, .none) }
    }

    @Test func withoutAURLTheFailureImageGoesBeforeThePlaceholder() async throws {
        let target = ImageTarget(view, loader: loader)
        loader.runtimeOptions.placeholder = .color(red: 0, green: 0, blue: 0, alpha: 1)
        loader.runtimeOptions.failureImage = try TestImages.solid(red: 9)
        await target.setImage(nil)
        #expect(view.shown == [.label(nil), .image(red: 9, .none), .loading(false)])
        #expect(await view.appearance.hasFailed == false)
    }

    @Test func withoutAURLAndAPlaceholderTheViewIsCleared() async throws {
        let target = ImageTarget(view, loader: loader)
        await target.setImage(nil)
        #expect(view.shown == [.label(nil), .cleared, .loading(false)])
    }

    @MainActor @Test func aMainActorViewShowsThatThereIsNoURLBeforeTheCallReturns() async throws {
        let model = ImagePhaseModel(loader: loader)
        let target = ImageTarget(model, loader: loader)
        var codes: [ImageError.Code?] = []
        target.setImage(nil) { result in
            if case .failure(let failure) = result { codes.append(failure.code) }
        }
        #expect(codes == [.invalidRequest])
        if case .empty = model.phase {} else { Issue.record("\(model.phase)") }
    }

    @MainActor @Test func aPhaseModelIsEmptyWithoutAURL() async throws {
        let model = ImagePhaseModel(loader: loader)
        model.show(url, size: PixelSize(2))
        if case .loading = model.phase {} else { Issue.record("\(model.phase)") }
        model.show(nil)
        if case .empty = model.phase {} else { Issue.record("\(model.phase)") }
        #expect(loader.activity.loads == 0)
    }

    @Test func anOwnerOfATargetCancelsItsLoads() async throws {
        let target = ImageTarget(view, loader: loader, owner: LoadOwner("screen"))
        await target.setImage(url)
        await network.gate.waitForArrivals(1)
        loader.cancel(owner: LoadOwner("screen"))
        await view.wait { $0.last == .loading(false) }
        #expect(loader.activity.loads == 0)
        // A request's own owner goes first.
        var request = ImageRequest(url: url)
        request.owner = LoadOwner("other")
        await target.setImage(request)
        loader.cancel(owner: LoadOwner("screen"))
        #expect(loader.activity.loads == 1)
    }
}
