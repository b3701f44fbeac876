import CalotypeTesting
import Foundation
import ImageCore
import Testing
import Timing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct Lifetime {
    @Test(arguments: ["finished", "failed", "cancelled"])
    func theEngineKeepsNothingOfALoadThatEnded(how: String) async throws {
        let bench = Bench(
            network: ScriptedLoader(gate: Gate(isOpen: how != "cancelled")) { _ in .body(Data([how == "failed" ? 0xFF : 7])) })
        weak var task: ImageTask?
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            var request = ImageRequest(url: url("x"))
            request.options.processors = [WitnessedProcessor(witness: held)]
            let load = bench.loader.task(for: request)
            task = load
            if how == "cancelled" {
                await bench.network.gate.waitForArrivals(1)
                load.cancel()
            }
            _ = try? await load.response
        }
        await bench.waitUntilIdle()
        while task != nil || witness != nil { await Task.yield() }
        #expect(task == nil && witness == nil)
    }

    /// The fetch keeps the request that began it until its bytes are stored for another load.
    @Test(.timeLimit(.minutes(1))) func theEngineReleasesARequestOutsideItsLock() async throws {
        let disk = LoggedDataCache(storeGate: Gate())
        let bench = Bench.held(disk) { $0.limits.workers = 1 }
        let endless = ImageRequest(
            .producer(id: "endless") {
                try await Gate().pass()
                return Data()
            })
        let other = bench.loader.task(for: endless)
        var request = ImageRequest(url: url("x"), size: PixelSize(4))
        request.options.processors = [WitnessedProcessor(witness: Witness { other.cancel() })]
        var first: ImageTask? = bench.loader.task(for: request)
        request = ImageRequest(url: url("x"))
        let second = bench.loader.task(for: request)
        await bench.network.gate.waitForArrivals(1)
        first?.cancel()
        first = nil
        bench.network.gate.open()
        #expect(red(try await second.image) == 7)
        // The worker has released the decode when it begins the next one.
        _ = try await bench.loader.image(for: Data([8]))
        await disk.storeGate.waitForArrivals(1)
        disk.storeGate.open()
        await #expect(throws: LoadFailure.cancelled) { try await other.image }
    }

    @Test func twoLoadersNeverWaitForEachOther() async throws {
        // Given a loader all of whose fetches and workers are held.
        let isReleased = Lock(false)
        let began = EventLog<Void>()
        let blocked = Bench(
            decoder: ScriptedDecoder { _, _ in
                began.append(())
                while !isReleased.withLock({ $0 }) {}
            }
        ) { $0.limits.workers = 2 }
        let held = (0..<10).map { blocked.loader.task(for: ImageRequest(url: url("\($0)"))) }
        await began.wait(forCount: 2)
        // Then another one loads.
        let free = Bench()
        for index in 0..<20 { #expect(red(try await free.loader.image(for: url("\(index)"))) == 7) }
        isReleased.withLock { $0 = true }
        for task in held { _ = try await task.response }
    }

    @Test func onlyRequestedResultsEnterTheMemoryCache() async throws {
        let bench = Bench()
        let log = EventLog<String>()
        let list = ["a", "b", "c"].map { RecordingProcessor($0, log: log) }
        let request = ImageRequest(url: url("x"), processors: list)
        _ = try await bench.loader.image(for: request)
        await bench.waitUntilIdle()
        #expect(log.events == ["a", "b", "c"])
        #expect(
            bench.memory.keys == [
                LoadPlan(LoadID(rawValue: 0), request, MergedOptions(try bench.loader.options(for: request))).imageKey
            ])
    }

    @Test func leavingLastFirstTakesAsManyStepsAsLeavingFirstFirst() async throws {
        // Twenty thousand subscribers of one load: were either way linear in their number, it would take minutes.
        for isLastFirst in [true, false] {
            let bench = Bench.held()
            let tasks = (0..<20_000).map { _ in bench.loader.task(for: ImageRequest(url: url("x"))) }
            await bench.network.gate.waitForArrivals(1)
            let time = ThreadTime.measure { for task in isLastFirst ? tasks.reversed() : tasks { task.cancel() } }
            #expect(time < .seconds(2))
            await bench.waitUntilIdle()
            #expect(bench.network.cancelled == 1)
        }
    }
}

private final class Witness: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }

    deinit { onEnd() }
}

private struct WitnessedProcessor: Processing {
    let witness: Witness
    var identifier: String { "witnessed" }
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
}
