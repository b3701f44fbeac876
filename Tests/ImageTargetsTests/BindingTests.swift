import CalotypeTesting
import ImageCore
import ImageLoading
import ImageTargets
import Testing

@Suite(.timeLimit(.minutes(1))) struct Binding {
    private let network = ScriptedLoader(gate: Gate()) { request in .body(Data(request.url.lastPathComponent.utf8.prefix(1))) }
    private let loader: ImageLoader

    init() {
        loader = ImageLoader(.init(dataLoader: network, decoder: ScriptedDecoder(), memoryCache: LoggedMemoryCache()))
    }

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(url: URL(string: "http://example.org/\(name)")!)
        change(&request.options)
        return request
    }

    private func red(_ name: Character) -> UInt8 { name.asciiValue! }

    private func load(_ name: String) async throws {
        network.gate.open()
        _ = try await loader.image(for: request(name))
    }

    @Test func aLoadShowsThePlaceholderThenTheImage() async throws {
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        let results = EventLog<Result<ImageResponse, LoadFailure>>()
        await target.setImage(
            request("a") {
                $0.placeholder = .color(red: 0, green: 0, blue: 0, alpha: 1)
                $0.transition = .fade(.milliseconds(300))
                $0.accessibilityLabel = "A letter"
            }
        ) { results.append($0) }
        #expect(view.shown == [.label("A letter"), .placeholder("color"), .loading(true)])
        network.gate.open()
        await results.wait(forCount: 1)
        #expect(
            view.shown.suffix(3) == [
                .progress(LoadProgress(received: 1, expected: 1)), .loading(false),
                .image(red: red("a"), .fade(.milliseconds(300))),
            ] || view.shown.suffix(2) == [.loading(false), .image(red: red("a"), .fade(.milliseconds(300)))])
        #expect(try results.events.first?.get().tier == .network)
    }

    @Test func aStaleResultIsNeverShownAndItsCompletionIsNeverCalled() async throws {
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        let completed = EventLog<String>()
        await target.setImage(request("a")) { _ in completed.append("a") }
        await network.waitForRequests(1)
        await network.gate.waitForArrivals(1)
        await target.setImage(request("b")) { _ in completed.append("b") }
        await network.waitForRequests(2)
        network.gate.open()
        await completed.wait(forCount: 1)

        #expect(completed.events == ["b"])
        // The fetch of the first request is cancelled, and ends some time later.
        while network.cancelled == 0 { await Task.yield() }
        let images = view.shown.filter { if case .image = $0 { true } else { false } }
        #expect(images == [.image(red: red("b"), .none)])
    }

    private struct CallingBack: RequestInterceptor {
        let call: @Sendable () -> Void

        func identity(for url: URL) -> String? {
            call()
            return "user"
        }

        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse { try await next(request) }
    }

    @Test func anInterceptorMayCallTheTargetOfItsRequest() async {
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        let answers = EventLog<Bool>()
        let request = request("a") { $0.interceptors = [CallingBack { answers.append(target.isVisible) }] }
        await target.setImage(request)
        #expect(answers.events.first == true)
        #expect(target.currentSource != nil)
    }

    @Test func theSameRequestOnTheSameTargetDoesNothing() async throws {
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        let completed = EventLog<String>()
        await target.setImage(request("a")) { _ in completed.append("first") }
        let shown = view.shown
        await target.setImage(request("a")) { _ in completed.append("second") }
        #expect(view.shown == shown)
        network.gate.open()
        await completed.wait(forCount: 1)
        let after = view.shown
        await target.setImage(request("a")) { _ in completed.append("third") }
        #expect(view.shown == after)
        #expect(completed.events == ["first"])
        #expect(network.requests.count == 1)
    }

    @Test func anotherSizeOfTheSameImageIsAnotherRequest() async throws {
        try await load("a")
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        let completed = EventLog<Int>()
        await target.setImage(request("a")) { completed.append((try? $0.get().image.size.width) ?? 0) }
        await target.setImage(request("a") { $0.targetSize = PixelSize(width: 2, height: 2) }) {
            completed.append((try? $0.get().image.size.width) ?? 0)
        }
        await completed.wait(forCount: 2)
        #expect(completed.events == [4, 2])
    }

    @Test func aMemoryHitShowsAtOnceWithoutPlaceholderOrTransition() async throws {
        try await load("a")
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        let completed = EventLog<CacheTier?>()
        await target.setImage(
            request("a") {
                $0.placeholder = .color(red: 1, green: 1, blue: 1, alpha: 1)
                $0.transition = .fade(.seconds(1))
            }
        ) { completed.append(try? $0.get().tier) }
        // Everything has happened when the call returns.
        #expect(view.shown == [.label(nil), .image(red: red("a"), .none)])
        #expect(completed.events == [.memory])
    }

    @Test func aMemoryHitTakesNoActorHop() async throws {
        try await load("a")
        let screen = CountingScreen(loader: loader)
        let before = screen.executor.jobs
        let jobs = await screen.show(request("a"))
        // One job moves this call onto the actor. Showing the image must not need another one.
        #expect(jobs - before == 1)
        #expect(await screen.image?.size == PixelSize(width: 4, height: 4))
    }

    @Test func aFailureShowsTheFailureImageAndTheSameRequestCanBeMadeAgain() async throws {
        let network = ScriptedLoader { _ in .body(Data([0xFF])) }
        let loader = ImageLoader(.init(dataLoader: network, decoder: ScriptedDecoder()))
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        let completed = EventLog<ImageError.Code?>()
        let broken = try TestImages.solid(red: 99)
        let failing = request("a") { $0.failureImage = broken }
        await target.setImage(failing) { completed.append($0.failure?.error?.code) }
        await completed.wait(forCount: 1)
        #expect(view.shown.suffix(3) == [.loading(false), .image(red: 99, .none), .failure(.corrupt)])
        await target.setImage(failing) { completed.append($0.failure?.error?.code) }
        await completed.wait(forCount: 2)
        #expect(network.requests.count == 2)
    }

    @Test func aClearedTargetShowsNothing() async throws {
        let view = RecordingView()
        let target = ImageTarget(view, loader: loader)
        await target.setImage(request("a")) { _ in Issue.record("A cleared target's completion was called.") }
        await network.gate.waitForArrivals(1)
        #expect(target.currentSource?.description == "http://example.org/a")
        await target.clear()
        #expect(target.currentSource == nil)
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        network.gate.open()
        try await load("b")
        #expect(view.shown.suffix(2) == [.loading(false), .cleared])
        #expect(network.cancelled == 1)
    }

    @Test func aReleasedTargetCancelsItsLoad() async throws {
        let view = RecordingView()
        var target: ImageTarget<RecordingView>? = ImageTarget(view, loader: loader)
        await target?.setImage(request("a"))
        await network.gate.waitForArrivals(1)
        target = nil
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        #expect(network.cancelled == 1)
    }

    @Test func aMainActorViewConformsWithPlainMethods() async throws {
        try await load("a")
        let view = MainActorView()
        await view.show(request("a"), loader)
        #expect(await view.image != nil)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

@MainActor private final class MainActorView: ImageViewAdapter {
    var image: DecodedImage?
    private var target: ImageTarget<MainActorView>?

    func show(_ request: ImageRequest, _ loader: ImageLoader) async {
        let target = ImageTarget(self, loader: loader)
        self.target = target
        await target.setImage(request)
    }

    func setImage(_ image: DecodedImage, transition: ImageTransition) { self.image = image }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() { image = nil }
}

/// An executor that counts its jobs: each hop onto its actor is one job.
private final class CountingExecutor: SerialExecutor {
    private let count = Lock(0)
    private let thread = SerialThread()

    var jobs: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        count.withLock { $0 += 1 }
        let job = UnownedJob(job)
        thread.run { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}

private actor CountingScreen: ImageViewAdapter {
    nonisolated let executor = CountingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let loader: ImageLoader
    private(set) var image: DecodedImage?

    init(loader: ImageLoader) { self.loader = loader }

    /// Shows the image of a request, and returns the number of jobs so far; -1 if no image is shown.
    func show(_ request: ImageRequest) async -> Int {
        let target = ImageTarget(self, loader: loader)
        await target.setImage(request)
        return image == nil ? -1 : executor.jobs
    }

    func setImage(_ image: DecodedImage, transition: ImageTransition) { self.image = image }
    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() { image = nil }
}
