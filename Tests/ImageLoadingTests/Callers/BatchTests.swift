import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct Batches {
    /// Answers each image with its number, and holds those that have a gate.
    private static func bench(_ gates: [String: Gate] = [:]) -> Bench {
        Bench(
            network: ScriptedLoader { request in
                let name = request.url.lastPathComponent
                guard let number = UInt8(name) else { throw ImageError(.timedOut, message: "\(name) is late.") }
                return .response(.init(status: .ok), chunks: [Data([number])], gate: gates[name])
            })
    }

    private static func requests(_ names: some Sequence<String>) -> [ImageRequest] {
        names.map { ImageRequest(url: url($0)) }
    }

    @Test func resultsComeInTheOrderInWhichTheLoadsEnd() async throws {
        let gates = ["0": Gate(), "1": Gate(), "2": Gate()]
        let bench = Self.bench(gates)
        var order: [Int] = []
        var batch = bench.loader.responses(for: Self.requests(["0", "1", "2"])).makeAsyncIterator()
        for index in [2, 0, 1] {
            // The loads start with the first wait, so that the gate may be open before.
            gates["\(index)"]?.open()
            let item = try #require(await batch.next())
            #expect(item.request == ImageRequest(url: url("\(index)")))
            #expect(red(try item.result.get().image) == index)
            #expect(item.completed == order.count + 1 && item.total == 3)
            order.append(item.index)
        }
        #expect(order == [2, 0, 1])
        #expect(await batch.next() == nil)
        await bench.waitUntilIdle()
    }

    @Test func aFailureIsAnElement() async {
        let bench = Self.bench()
        var codes: [Int: ImageError.Code?] = [:]
        for await item in bench.loader.responses(for: Self.requests(["1", "late", "2"])) {
            let failure = if case .failure(let failure) = item.result { failure } else { LoadFailure?.none }
            codes.updateValue(failure?.code, forKey: item.index)
        }
        #expect(codes == [0: nil, 1: .timedOut, 2: nil])
    }

    @Test(arguments: [1, 3, 0, -5]) func onlySoManyLoadsRun(_ concurrency: Int) async {
        let gate = Gate()
        let bench = Bench(network: ScriptedLoader(gate: gate) { _ in .body(Data([7])) }) { $0.limits.fetchesPerHost = 64 }
        let limit = max(1, concurrency)
        let names = (0..<10).map { "\($0)" }
        let loop = Task {
            var most = 0
            for await _ in bench.loader.responses(for: Self.requests(names), concurrency: concurrency) {
                most = max(most, bench.loader.activity.loads)
            }
            return most
        }
        for started in limit...10 {
            await gate.waitForArrivals(started)
            #expect(bench.network.requests.count == started && bench.loader.activity.loads == limit)
            gate.letOneThrough()
        }
        gate.open()
        #expect(await loop.value < limit)
    }

    @Test func aLoopThatDoesNotContinueStopsTheStarts() async throws {
        let bench = Self.bench()
        var read = 0
        let endless = AnySequence {
            AnyIterator {
                read += 1
                return ImageRequest(url: url("\(read % 100)"))
            }
        }
        var batch = bench.loader.responses(for: endless, concurrency: 3).makeAsyncIterator()
        #expect(read == 0)
        let first = try #require(await batch.next())
        #expect(first.total == nil)
        await bench.waitUntilIdle()
        #expect(read == 3 && bench.network.requests.count == 3)
        _ = await batch.next()
        #expect(read == 4)
        await bench.waitUntilIdle()
    }

    @Test func leavingTheLoopCancelsWhatRunsAndStartsNothing() async {
        let gates = ["1": Gate(), "2": Gate()]
        let bench = Self.bench(gates)
        for await item in bench.loader.responses(for: Self.requests(["0", "1", "2", "3"]), concurrency: 3) {
            #expect(item.index == 0)
            await bench.network.waitForRequests(3)
            break
        }
        await bench.waitUntilIdle()
        #expect(bench.network.requests.count == 3 && bench.loader.statistics.loads.cancelled == 2)
    }

    @Test func cancellingTheTaskCancelsWhatRunsAndEndsTheLoop() async {
        let bench = Bench.held()
        let loop = Task {
            var count = 0
            let endless = (0...).lazy.map { ImageRequest(url: url("\($0)")) }
            for await _ in bench.loader.responses(for: endless, concurrency: 2) { count += 1 }
            return count
        }
        await bench.network.gate.waitForArrivals(2)
        loop.cancel()
        #expect(await loop.value == 0)
        await bench.waitUntilIdle()
        #expect(bench.network.requests.count == 2 && bench.network.cancelled == 2)
    }

    @Test func aCancelledTaskStartsNothing() async {
        let bench = Self.bench()
        let loop = Task {
            while !Task.isCancelled { await Task.yield() }
            var count = 0
            for await _ in bench.loader.responses(for: Self.requests(["1", "2"])) { count += 1 }
            return count
        }
        loop.cancel()
        #expect(await loop.value == 0 && bench.loader.statistics.loads == ImageLoader.Loads())
    }

    @Test func anEmptyBatchEnds() async {
        for await _ in Self.bench().loader.responses(for: [ImageRequest]()) { Issue.record("There is no request.") }
    }

    @Test func equalRequestsShareTheirFetchAndEachHasAResult() async {
        let gate = Gate()
        let bench = Self.bench(["5": gate])
        let loop = Task {
            var ended: [Int] = []
            for await item in bench.loader.responses(for: Self.requests(["5", "5", "5", "5"])) {
                if case .success = item.result { ended.append(item.index) }
            }
            return ended.sorted()
        }
        while bench.loader.activity.loads < 4 { await Task.yield() }
        gate.open()
        #expect(await loop.value == [0, 1, 2, 3])
        #expect(bench.network.requests.count == 1)
    }

    @Test func manyImagesFromMemoryKeepTheOrderOfTheirRequests() async {
        let bench = Self.bench()
        _ = try? await bench.loader.image(for: url("1"))
        var indices: [Int] = []
        let many = (0..<1_000).lazy.map { _ in ImageRequest(url: url("1")) }
        for await item in bench.loader.responses(for: many) {
            indices.append(item.index)
            #expect(item.total == 1_000)
        }
        #expect(indices == Array(0..<1_000) && bench.network.requests.count == 1)
    }

    @Test func aBatchKeepsItsLoader() async {
        func batch() -> ImageBatch { Self.bench().loader.responses(for: Self.requests(["1", "2"])) }
        var count = 0
        for await item in batch() where (try? item.result.get()) != nil { count += 1 }
        #expect(count == 2)
    }

    @Test func theLoadsOfALoaderThatWasShutDownFail() async {
        let bench = Self.bench()
        bench.loader.coordinator.shutDown()
        var failures: [LoadFailure] = []
        for await item in bench.loader.responses(for: Self.requests(["1", "2"])) {
            if case .failure(let failure) = item.result { failures.append(failure) }
        }
        #expect(failures == [.cancelled, .cancelled])
    }

    @Test func aLoadThatItsOwnerCancelsIsAFailure() async {
        let bench = Bench.held()
        let owner = LoadOwner("screen")
        var owned = ImageRequest(url: url("1"))
        owned.owner = owner
        let requests = [owned, ImageRequest(url: url("2"))]
        let loop = Task {
            var failures: [LoadFailure?] = []
            for await item in bench.loader.responses(for: requests) {
                if case .failure(let failure) = item.result { failures.append(failure) } else { failures.append(nil) }
            }
            return failures
        }
        await bench.network.gate.waitForArrivals(2)
        bench.loader.cancel(owner: owner)
        bench.network.gate.open()
        #expect(await loop.value == [.cancelled, nil])
    }

    /// A closure that is made on the main actor must run there.
    @MainActor @Test func theRequestsAreReadWhereTheLoopRuns() async {
        let bench = Self.bench()
        let requests = (1...3).lazy.map { number in
            MainActor.assertIsolated()
            return ImageRequest(url: url("\(number)"))
        }
        var count = 0
        for await _ in bench.loader.responses(for: requests, concurrency: 1) { count += 1 }
        #expect(count == 3)
    }
}
