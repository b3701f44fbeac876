import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageLoading

/// A load is bound by its own options only, whatever the load sets whose fetch it shares.
@Suite(.timeLimit(.minutes(1)))
struct OwnLimits {
    /// An option with two values, of which the tight one ends its load.
    enum Limit: CaseIterable {
        case timeout, deadline, retries, maximumResponseBytes, allowsExpensiveNetwork, interceptors, cachePolicy
    }

    /// An option with two values, of which the wide one stores the bytes.
    enum Storing: CaseIterable {
        case storesToDisk, diskStorage, cachePolicy
    }

    /// When the second load comes.
    enum Moment: CaseIterable {
        case whileTheFirstWaits, whileTheFirstRuns
    }

    private struct Refusing: RequestInterceptor {
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            throw ImageError(.invalidRequest, message: "This request is refused.")
        }
    }

    private func tight(_ limit: Limit) -> OptionLayer {
        OptionLayer {
            switch limit {
            case .timeout: $0.timeout = .seconds(1)
            case .deadline: $0.deadline = .seconds(1)
            case .retries: $0.retries = 0
            case .maximumResponseBytes: $0.maximumResponseBytes = 99
            case .allowsExpensiveNetwork: $0.allowsExpensiveNetwork = false
            case .interceptors: $0.interceptors = [Refusing()]
            case .cachePolicy: $0.cachePolicy = .cacheOnly
            }
        }
    }

    private func wide(_ limit: Limit) -> OptionLayer {
        OptionLayer {
            switch limit {
            case .timeout: $0.timeout = .seconds(10)
            case .deadline: $0.deadline = .seconds(100)
            case .retries: $0.retries = 5
            // More than the loader allows by itself.
            case .maximumResponseBytes: $0.maximumResponseBytes = 200
            case .allowsExpensiveNetwork, .interceptors, .cachePolicy: break
            }
        }
    }

    private func code(_ limit: Limit) -> ImageError.Code {
        switch limit {
        case .timeout: .timedOut
        case .deadline: .deadlineExceeded
        case .retries: .connectionLost
        case .maximumResponseBytes: .tooLarge
        case .allowsExpensiveNetwork: .expensiveNetwork
        case .interceptors: .invalidRequest
        case .cachePolicy: .notCached
        }
    }

    /// A network that is slow, needs a second attempt, and costs money: what it does depends on the request, as in a
    /// real one.
    private static func network(of limit: Limit) -> ScriptedLoader {
        ScriptedLoader(gate: Gate()) { request in
            if limit == .timeout, request.timeout < .seconds(5) { throw ImageError(.timedOut, message: "It took too long.") }
            if limit == .retries, request.retries == 0 { throw ImageError(.connectionLost, message: "The connection ended.") }
            if !request.allowsExpensiveNetwork { throw ImageError(.expensiveNetwork, message: "It costs money.") }
            let bytes = Data(repeating: 7, count: 100)
            if let limit = request.maximumResponseBytes, limit < 100 { throw ImageError(.tooLarge, message: "Over \(limit).") }
            return .response(HTTPResponse(status: .ok), chunks: [bytes.prefix(60), bytes.suffix(40)])
        }
    }

    private func bench(_ limit: Limit, _ clock: ManualClock) async -> Bench {
        let bench = Bench(network: Self.network(of: limit)) {
            $0.clock = clock
            $0.limits.maximumResponseBytes = 150
            // Otherwise the load that ends first may leave its image to the other one.
            ($0.memoryCache, $0.dataCache) = (nil, nil)
            guard limit == .allowsExpensiveNetwork else { return }
            $0.networkUpdates = { AsyncStream { $0.yield(NetworkStatus(isExpensive: true)) } }
        }
        while limit == .allowsExpensiveNetwork, !bench.loader.coordinator.state.withLock({ $0.network.isExpensive }) {
            await Task.yield()
        }
        return bench
    }

    /// Which of two loads comes first, and when the other one comes.
    struct Order: CaseIterable, CustomTestStringConvertible {
        let isTightFirst: Bool
        let moment: Moment

        static let allCases = Moment.allCases.flatMap { moment in
            [Order(isTightFirst: true, moment: moment), Order(isTightFirst: false, moment: moment)]
        }
        var testDescription: String { "\(isTightFirst ? "tight" : "wide") first, \(moment)" }
    }

    @Test(arguments: Limit.allCases, Order.allCases)
    func aLimitEndsTheLoadThatSetsIt(_ limit: Limit, _ order: Order) async throws {
        // Given two loads of one URL, of which the second joins the first.
        let clock = ManualClock()
        let bench = await bench(limit, clock)
        if order.moment == .whileTheFirstWaits { bench.loader.isPaused = true }
        let layers = [tight(limit), wide(limit)]
        func start(_ isTight: Bool) -> ImageTask {
            bench.loader.task(for: ImageRequest(url: url("x"), options: layers[isTight ? 0 : 1]))
        }
        let first = start(order.isTightFirst)
        // A load that may not use the network, or refuses its requests, reaches none.
        let arrives = !(order.isTightFirst && [.cachePolicy, .interceptors].contains(limit))
        if order.moment == .whileTheFirstRuns, arrives { await bench.network.gate.waitForArrivals(1) }
        let second = start(!order.isTightFirst)
        bench.loader.isPaused = false
        let (tight, wide) = order.isTightFirst ? (first, second) : (second, first)
        // When the network responds, too late for one of the deadlines.
        if limit == .deadline {
            await clock.waitForSleeps(2)
            clock.advance(by: .seconds(2))
            _ = try? await tight.response
        }
        bench.network.gate.open()
        // Then each ends as it would alone, with at most one further request.
        let failure = await #expect(throws: LoadFailure.self) { try await tight.response }
        #expect(failure?.code == code(limit))
        #expect(red(try await wide.image) == 7)
        #expect(bench.network.requests.count <= 2)
    }

    @Test func aLoadThatRunsAgainSendsTheSameRequest() async throws {
        let bench = await bench(.maximumResponseBytes, ManualClock())
        func start(_ isTight: Bool) -> ImageTask {
            var request = ImageRequest(
                url: url("x"), options: isTight ? tight(.maximumResponseBytes) : wide(.maximumResponseBytes))
            (request.method, request.body) = (.post, Data([1]))
            return bench.loader.task(for: request)
        }
        let first = start(true)
        await bench.network.gate.waitForArrivals(1)
        let second = start(false)
        bench.network.gate.open()
        await #expect(throws: LoadFailure.self) { try await first.response }
        #expect(red(try await second.image) == 7)
        #expect(bench.network.requests.map(\.method) == [.post, .post])
        #expect(bench.network.requests.map(\.body) == [Data([1]), Data([1])])
    }

    @Test(arguments: Storing.allCases, Order.allCases)
    func whatOneLoadWantsStoredIsStored(_ option: Storing, _ order: Order) async throws {
        let bench = Bench.held { $0.encoder = nil }
        let layer = OptionLayer {
            switch option {
            case .storesToDisk: $0.storesToDisk = false
            case .diskStorage: $0.diskStorage = .processedImages
            case .cachePolicy: $0.cachePolicy = [.memoryOnly, .readsDisk]
            }
        }
        if order.moment == .whileTheFirstWaits { bench.loader.isPaused = true }
        func start(_ stores: Bool) -> ImageTask {
            bench.loader.task(for: ImageRequest(url: url("x"), options: stores ? OptionLayer() : layer))
        }
        let first = start(!order.isTightFirst)
        if order.moment == .whileTheFirstRuns { await bench.network.gate.waitForArrivals(1) }
        let second = start(order.isTightFirst)
        bench.loader.isPaused = false
        bench.network.gate.open()
        _ = try await (first.response, second.response)
        try await bench.loader.flush()
        #expect(bench.disk.keys.count == 1)
        #expect(bench.network.requests.count == 1)
    }

    @Test func loadsWithEqualOptionsShareTheirFetchWhateverTheyAre() async throws {
        let bench = Bench.held()
        let layer = OptionLayer {
            $0.timeout = .seconds(3)
            $0.retries = 7
            $0.interceptors = [Refusing()]
            $0.interceptors = []
        }
        let loads = (0..<100).map { _ in bench.loader.task(for: ImageRequest(url: url("x"), options: layer)) }
        bench.network.gate.open()
        for load in loads { _ = try await load.response }
        #expect(bench.network.requests.count == 1)
    }

    @Test func aLoadThatJoinsWhenTheBytesAreThereIsBoundByItsLimit() async throws {
        // Given a decode that is held.
        let isOpen = Lock(false)
        let decoder = ScriptedDecoder(beforeDecode: { _, _ in while !isOpen.withLock({ $0 }) {} })
        let bench = Bench(network: ScriptedLoader { _ in .body(Data([7, 7])) }, decoder: decoder)
        let first = bench.loader.task(for: ImageRequest(url: url("x")))
        while decoder.decodes.isEmpty { await Task.yield() }
        let second = bench.loader.task(
            for: ImageRequest(url: url("x"), options: OptionLayer { $0.maximumResponseBytes = 1 }))
        isOpen.withLock { $0 = true }
        #expect(red(try await first.image) == 7)
        let failure = await #expect(throws: LoadFailure.self) { try await second.response }
        #expect(failure?.code == .tooLarge)
        #expect(bench.network.requests.count == 1)
    }
}
