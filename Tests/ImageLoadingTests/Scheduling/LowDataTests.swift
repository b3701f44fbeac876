import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct LowDataMode {
    /// A loader on a spared network, with every fetch held, and how to change the network.
    private func spared() async -> (Bench, AsyncStream<NetworkStatus>.Continuation) {
        let (updates, continuation) = AsyncStream.makeStream(of: NetworkStatus.self)
        let bench = Bench.held {
            $0.dataCache = nil
            $0.networkUpdates = { updates }
        }
        continuation.yield(NetworkStatus(isConstrained: true))
        while !bench.loader.coordinator.state.withLock({ $0.network.isConstrained }) { await Task.yield() }
        return (bench, continuation)
    }

    private func ahead(_ name: String) -> ImageRequest { ImageRequest(.url(url(name)), purpose: .prefetch) }

    private func fetched(_ bench: Bench) -> [String] { bench.network.requests.map(\.url.lastPathComponent) }

    @Test func aPrefetchFetchesNothingWhileAnImageIsAwaited() async throws {
        let (bench, _) = await spared()
        let visible = bench.loader.task(for: ImageRequest(url: url("visible")))
        let prefetch = bench.loader.task(for: ahead("ahead"))
        await bench.network.gate.waitForArrivals(1)
        while bench.loader.activity.queued == 0 { await Task.yield() }
        #expect(fetched(bench) == ["visible"])
        #expect(bench.loader.statistics.queues.first { $0.name == "network" }?.waiting == 1)
        bench.network.gate.open()
        _ = try await (visible.response, prefetch.response)
        #expect(fetched(bench) == ["visible", "ahead"])
    }

    @Test func heldPrefetchesBeginWhenTheLastAwaitedLoadIsCancelled() async throws {
        let (bench, _) = await spared()
        let visible = bench.loader.task(for: ImageRequest(url: url("visible")))
        let prefetch = bench.loader.task(for: ahead("ahead"))
        visible.cancel()
        bench.network.gate.open()
        _ = try await prefetch.response
        #expect(fetched(bench).contains("ahead"))
    }

    @Test func pausedPrefetchesStartWhenTheNetworkIsNoLongerConstrained() async throws {
        let (bench, network) = await spared()
        let tasks = [ImageRequest(url: url("visible")), ahead("ahead")].map { bench.loader.task(for: $0) }
        network.yield(NetworkStatus())
        await bench.network.gate.waitForArrivals(2)
        bench.network.gate.open()
        for task in tasks { _ = try await task.response }
    }

    @Test func anImageThatIsAwaitedTakesItsPrefetchAlong() async throws {
        let (bench, _) = await spared()
        let tasks = [ImageRequest(url: url("visible")), ahead("x"), ImageRequest(url: url("x"))].map {
            bench.loader.task(for: $0)
        }
        await bench.network.gate.waitForArrivals(2)
        bench.network.gate.open()
        for task in tasks { _ = try await task.response }
        #expect(fetched(bench).sorted() == ["visible", "x"])
    }

    @Test func aPrefetchThatIsAloneFetches() async throws {
        let (bench, _) = await spared()
        let prefetch = bench.loader.task(for: ahead("ahead"))
        bench.network.gate.open()
        _ = try await prefetch.response
    }

    @Test func aLoaderThatIsGoneFollowsNoNetwork() async {
        let (updates, continuation) = AsyncStream.makeStream(of: NetworkStatus.self)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        continuation.onTermination = { _ in ended.finish() }
        _ = Bench { $0.networkUpdates = { updates } }
        for await _ in ends {}
    }
}
