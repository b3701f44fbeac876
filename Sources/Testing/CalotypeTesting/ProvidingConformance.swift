internal import CalotypeSystem
public import ImageCore

enum ProvidingRule: String, ConformanceRules {
    static let plugIn = "ImageProviding"
    case returnsBeforeEvents = "The handler is not called by task(for:onEvent:) itself."
    case endsOnce = "The last event is the only `finished`, also if the load is cancelled later."
    case sendsOneEventAtATime = "The handler is called for one event at a time."
    case cancelsLoads = "A load that is cancelled ends once, with `cancelled`, unless it has ended before."
    case runsWithoutHandle = "A load whose handle is released still ends with its image."
    case namesLoads = "Each load has an identifier of its own, and keeps the priority that is set."
}

/// Checks an image provider against the contract of `ImageProviding`.
///
/// ``ConformanceRule/all`` lists the rules.
///
/// ```swift
/// // In a test, with a custom provider:
/// let network = ScriptedLoader { _ in .body(Data([7])) }
/// let provider = ImageLoader(ImageLoader.Configuration(dataLoader: network, decoder: ScriptedDecoder()))
/// try await checkImageProvidingConformance(of: provider, loading: ImageRequest(url: URL(string: "test://a")!))
/// ```
///
/// - Parameters:
///   - provider: The provider.
///   - request: A request whose load ends with an image.
///   - endless: A request whose load does not end before it is cancelled. By default `nil`: then cancellation is
///     checked with `request`, whose load may end before.
///   - limit: The longest time that each rule may take. By default 20 seconds.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkImageProvidingConformance(
    of provider: some ImageProviding, loading request: ImageRequest, endless: ImageRequest? = nil, limit: Duration = .seconds(20)
) async throws {
    let rules = RuleChecker<ProvidingRule>(limit: limit)
    let events = EventLog<ProviderEvent>()
    await rules.run(.returnsBeforeEvents) {
        let caller = Lock<UInt?>(DetachedThread.currentID)
        let early = EventLog<Void>()
        let handle = provider.task(for: request) { event in
            if caller.withLock({ $0 == DetachedThread.currentID }) { early.append(()) }
            events.append(ProviderEvent(event))
        }
        caller.withLock { $0 = nil }
        await events.wait { $0.contains(where: \.isEnd) }
        try require(early.count == 0, "The handler was called before the handle was returned.")
        handle.cancel()
    }
    await rules.run(.endsOnce) {
        // A second load gives late events of the first one time to come.
        try await requireImage(provider, request)
        try require(events.events.count(where: \.isEnd) == 1, "A load finished \(events.events.count(where: \.isEnd)) times.")
        try require(events.events.last?.isEnd == true, "An event came after the end.")
        try require(
            events.events.last == .image, "The load of an image ended with \(events.events.last.map { "\($0)" } ?? "nothing").")
    }
    await rules.run(.sendsOneEventAtATime) {
        for _ in 0..<8 {
            let running = Lock(0)
            let overlaps = EventLog<Void>()
            let ends = EventLog<Void>()
            let handle = provider.task(for: request) { event in
                if running.withLock({
                    $0 += 1; return $0
                }) > 1 {
                    overlaps.append(())
                }
                // Time for another event to come at the same moment.
                for _ in 0..<2_000 { _ = running.withLock { $0 } }
                running.withLock { $0 -= 1 }
                if case .finished = event { ends.append(()) }
            }
            await ends.wait(forCount: 1)
            try require(overlaps.count == 0, "The handler was called for an event before it had returned from another.")
            withExtendedLifetime(handle) {}
        }
    }
    await rules.run(.cancelsLoads) {
        for _ in 0..<8 {
            let events = EventLog<ProviderEvent>()
            let handle = provider.task(for: endless ?? request) { events.append(ProviderEvent($0)) }
            handle.cancel()
            await events.wait { $0.contains(where: \.isEnd) }
            handle.cancel()
            let end = events.events.first(where: \.isEnd)
            try require(
                end == .cancelled || endless == nil && end == .image,
                "A load that was cancelled ended with \(end.map { "\($0)" } ?? "nothing").")
            try await requireImage(provider, request)
            try require(events.events.count(where: \.isEnd) == 1, "A load that was cancelled ended twice.")
        }
    }
    await rules.run(.runsWithoutHandle) { try await requireImage(provider, request) }
    await rules.run(.namesLoads) {
        let ends = EventLog<Void>()
        let handles = (0..<8).map { _ in
            provider.task(for: request) { if case .finished = $0 { ends.append(()) } }
        }
        try require(Set(handles.map(\.id)).count == handles.count, "Two loads have one identifier.")
        handles[0].priority = .low
        try require(handles[0].priority == .low, "The priority that was set is not that of the handle.")
        await ends.wait(forCount: handles.count)
    }
    try throwFailure(rules.violations)
}

/// An event without its values.
private enum ProviderEvent: Sendable, Hashable {
    case other, image, failure, cancelled

    init(_ event: LoadEvent) {
        switch event {
        case .finished(.success): self = .image
        case .finished(.failure(.cancelled)): self = .cancelled
        case .finished(.failure): self = .failure
        default: self = .other
        }
    }

    var isEnd: Bool { self != .other }
}

/// Loads without keeping the handle.
private func requireImage(_ provider: some ImageProviding, _ request: ImageRequest) async throws {
    let events = EventLog<ProviderEvent>()
    _ = provider.task(for: request) { events.append(ProviderEvent($0)) }
    await events.wait { $0.contains(where: \.isEnd) }
    try require(
        events.events.first(where: \.isEnd) == .image,
        "A load whose handle was released ended with \(events.events.first(where: \.isEnd).map { "\($0)" } ?? "nothing").")
}
