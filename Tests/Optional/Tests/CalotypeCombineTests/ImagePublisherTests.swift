import CalotypeCombine
import CalotypeTesting
import ImageCore
import ImageLoading
import OpenCombine
import Testing

/// Requests the demand that a test sets, and records what it receives.
private final class Recorder: Subscriber, Sendable {
    enum Event: Hashable, Sendable {
        case value(CacheTier)
        case finished
        case failed(LoadFailure)
    }

    let log = EventLog<Event>()
    // because `Subscription` does not require `Sendable`; the one under test is safe to use from any thread.
    struct Held: @unchecked Sendable {
        let subscription: any Subscription
    }

    let subscription = Lock<Held?>(nil)
    private let cancelsAtTheValue: Bool

    init(cancelsAtTheValue: Bool = false) { self.cancelsAtTheValue = cancelsAtTheValue }

    func receive(subscription: any Subscription) {
        let held = Held(subscription: subscription)
        self.subscription.withLock { $0 = held }
    }

    func receive(_ input: ImageResponse) -> Subscribers.Demand {
        log.append(.value(input.tier))
        if cancelsAtTheValue { cancel() }
        return .none
    }

    func receive(completion: Subscribers.Completion<LoadFailure>) {
        switch completion {
        case .finished: log.append(.finished)
        case .failure(let failure): log.append(.failed(failure))
        }
    }

    func request(_ demand: Subscribers.Demand) { subscription.withLock { $0 }?.subscription.request(demand) }
    func cancel() { subscription.withLock { $0 }?.subscription.cancel() }
}

@Suite(.timeLimit(.minutes(1))) struct PublishingImages {
    private let network = ScriptedLoader(gate: Gate()) { request in
        request.url.lastPathComponent == "bad" ? .failure(ImageError(.timedOut, message: "late")) : .body(Data([7]))
    }

    private func makeLoader(memory: LoggedMemoryCache = LoggedMemoryCache()) -> ImageLoader {
        ImageLoader(
            ImageLoader.Configuration(dataLoader: network, decoder: ScriptedDecoder(), memoryCache: memory))
    }

    private func url(_ name: String) -> URL { URL(string: "https://example.org/\(name)")! }

    private func subscribe(_ loader: ImageLoader, _ name: String) -> Recorder {
        let recorder = Recorder()
        loader.publisher(for: url(name)).subscribe(recorder)
        return recorder
    }

    @Test func aSubscriberReceivesOneValueAndTheCompletion() async throws {
        let loader = makeLoader()
        network.gate.open()
        let recorder = subscribe(loader, "a")
        recorder.request(.unlimited)
        await recorder.log.wait(forCount: 2)
        #expect(recorder.log.events == [.value(.network), .finished])
        let second = subscribe(loader, "a")
        second.request(.max(1))
        await second.log.wait(forCount: 2)
        #expect(second.log.events == [.value(.memory), .finished])
    }

    @Test func noLoadStartsBeforeTheFirstDemand() async throws {
        let loader = makeLoader()
        let recorder = subscribe(loader, "a")
        #expect(loader.activity.loads == 0)
        recorder.request(.max(1))
        #expect(loader.activity.loads == 1)
        recorder.request(.max(3))
        #expect(loader.activity.loads == 1)
        network.gate.open()
        await recorder.log.wait(forCount: 2)
        #expect(network.requests.count == 1)
    }

    @Test func aFailureIsSentAsTheCompletion() async throws {
        let loader = makeLoader()
        network.gate.open()
        let recorder = subscribe(loader, "bad")
        recorder.request(.unlimited)
        await recorder.log.wait(forCount: 1)
        guard case .failed(.failed(let error)) = recorder.log.events.first else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .timedOut && recorder.log.count == 1)
    }

    @Test func afterCancellingNothingIsSentAndTheLoadStops() async throws {
        let loader = makeLoader()
        let recorder = subscribe(loader, "a")
        recorder.request(.unlimited)
        await network.gate.waitForArrivals(1)
        recorder.cancel()
        recorder.cancel()
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        #expect(network.cancelled == 1)
        #expect(recorder.log.events.isEmpty)
    }

    @Test func cancellingWhileReceivingTheValuePreventsTheCompletion() async throws {
        let loader = makeLoader()
        network.gate.open()
        _ = try await loader.image(for: url("a"))
        let recorder = Recorder(cancelsAtTheValue: true)
        loader.publisher(for: url("a")).subscribe(recorder)
        recorder.request(.unlimited)
        await recorder.log.wait(forCount: 1)
        // When a later load has ended, the first subscriber has received everything.
        let last = subscribe(loader, "b")
        last.request(.unlimited)
        await last.log.wait(forCount: 2)
        #expect(recorder.log.events == [.value(.memory)])
    }

    @Test func aSubscriptionCancelledBeforeDemandNeverLoads() async throws {
        let loader = makeLoader()
        let recorder = subscribe(loader, "a")
        recorder.cancel()
        recorder.request(.unlimited)
        #expect(loader.activity.loads == 0 && network.requests.isEmpty)
    }

    @Test func releasingTheCancellableCancelsTheLoad() async throws {
        let loader = makeLoader()
        var token: AnyCancellable? = loader.publisher(for: url("a"))
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        await network.gate.waitForArrivals(1)
        #expect(token != nil)
        token = nil
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        #expect(network.cancelled == 1)
    }

    @Test func subscribersOfTheSameImageShareAFetch() async throws {
        let loader = makeLoader()
        let recorders = (0..<5).map { _ in subscribe(loader, "a") }
        for recorder in recorders { recorder.request(.unlimited) }
        network.gate.open()
        for recorder in recorders { await recorder.log.wait(forCount: 2) }
        #expect(network.requests.count == 1)
    }

    @Test func anEndedSubscriptionReleasesItsSubscriber() async throws {
        let loader = makeLoader()
        network.gate.open()
        weak var watched: Recorder?
        do {
            let recorder = subscribe(loader, "a")
            watched = recorder
            recorder.request(.unlimited)
            await recorder.log.wait(forCount: 2)
            recorder.subscription.withLock { $0 = nil }
        }
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        // The thread that delivered the value may still retain it for a moment.
        while watched != nil { await Task.yield() }
        #expect(watched == nil)
    }
}
