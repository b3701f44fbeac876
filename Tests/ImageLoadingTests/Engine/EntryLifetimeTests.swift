import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// How old a cached image may be for a load (FEATURES 1.21).
@Suite(.timeLimit(.minutes(1))) struct EntryLifetimes {
    private func tier(_ bench: Bench, _ change: (inout OptionLayer) -> Void) async throws -> CacheTier {
        try await bench.loader.response(for: ImageRequest(url: url("a"), options: OptionLayer(change))).tier
    }

    /// A loader that decoded an image 100 s ago.
    private func aged(_ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }) async throws -> Bench {
        let bench = Bench {
            $0.dataCache = nil
            adjust(&$0)
        }
        _ = try await bench.loader.image(for: url("a"))
        for key in bench.memory.keys {
            var image = try #require(bench.memory.peekImage(for: key))
            image.details.decodedAt = try #require(image.details.decodedAt) - 100
            bench.memory.store(image, for: key, priority: .normal)
        }
        return bench
    }

    @Test func anImageInMemoryIsUsedForTheLifetimeOfTheLoad() async throws {
        let bench = try await aged()
        #expect(try await tier(bench) { _ in } == .memory)
        #expect(try await tier(bench) { $0.memoryLifetime = .seconds(1000) } == .memory)
        #expect(try await tier(bench) { $0.memoryLifetime = .seconds(50) } == .network)
        #expect(try await tier(bench) { $0.memoryLifetime = .seconds(50) } == .memory)
    }

    @Test func theLifetimeOfALoaderHoldsForEveryCall() async throws {
        let bench = try await aged { $0.options = OptionLayer { $0.memoryLifetime = .seconds(50) } }
        #expect(bench.loader.cachedImage(for: url("a")) == nil)
        #expect(try await bench.loader.response(for: url("a"), size: PixelSize(2)).tier == .network)
        #expect(try await bench.loader.response(for: url("a")).tier == .network)
        #expect(bench.loader.cachedImage(for: url("a")) != nil)
    }

    @Test func aProcessedImageIsAsOldAsItsDecode() async throws {
        let bench = try await aged()
        let request = ImageRequest(url: url("a"), processors: [RecordingProcessor("one", log: EventLog<String>())])
        var young = request
        young.options.memoryLifetime = .seconds(50)
        #expect(try await bench.loader.response(for: request).tier == .memory)
        #expect(try await bench.loader.response(for: young).tier == .network)
    }

    @Test func anEntryOfTheDataCacheIsUsedForTheLifetimeOfTheLoad() async throws {
        let bench = Bench()
        let key = DataKey(resource: ImageRequest(url: url("a")).resource)
        let now = Date().timeIntervalSince1970
        try await bench.disk.store(DataEntry(data: Data([1]), head: HTTPResponse(status: .ok), storedAt: now - 100), for: key)
        func tier(_ policy: CachePolicy, _ seconds: Int) async throws -> CacheTier {
            try await self.tier(bench) { ($0.cachePolicy, $0.diskLifetime) = (policy, .seconds(seconds)) }
        }
        #expect(try await tier([.readsDisk], 1000) == .disk)
        #expect(try await tier([.readsDisk, .onlyIfCached], 50) == .disk)
        #expect(try await tier(.diskOnly, 50) == .network)
        try await bench.loader.flush()
        #expect(try await tier(.diskOnly, 50) == .disk)
    }

    @Test func loadsWithDifferentLifetimesFetchSeparately() async throws {
        let bench = Bench.held { $0.dataCache = nil }
        let tasks = [nil, Duration.seconds(50), .seconds(50)].map { lifetime in
            bench.loader.task(for: ImageRequest(url: url("a"), options: OptionLayer { $0.diskLifetime = lifetime }))
        }
        await bench.network.waitForRequests(2)
        bench.network.gate.open()
        for task in tasks { _ = try await task.response }
        #expect(bench.network.requests.count == 2)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aLifetimeMustBePositive(_ lifetime: Duration) async throws {
        let bench = Bench()
        for change in [{ $0.memoryLifetime = lifetime }, { $0.diskLifetime = lifetime }] as [(inout OptionLayer) -> Void] {
            let failure = await #expect(throws: LoadFailure.self) { _ = try await tier(bench, change) }
            #expect(failure?.error?.code == .invalidConfiguration)
        }
    }
}
