import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

/// How firmly the memory cache keeps the images of a load.
@Suite(.timeLimit(.minutes(1))) struct CachePriorities {
    private let memory = PriorityLog()

    private func request(_ priority: CachePriority) -> ImageRequest {
        var request = ImageRequest(url: url("x"))
        request.options.cachePriority = priority
        return request
    }

    @Test(arguments: [CachePriority.normal, .high])
    func anImageIsStoredWithThePriorityOfItsLoad(_ priority: CachePriority) async throws {
        let bench = Bench { $0.memoryCache = memory }
        _ = try await bench.loader.image(for: request(priority))
        #expect(memory.priorities.events == [priority])
    }

    @Test func anImageThatOneOfSeveralLoadsWantsToKeepIsStoredWithHighPriority() async throws {
        let bench = Bench.held { $0.memoryCache = memory }
        let tasks = [.normal, .high, .normal].map { bench.loader.task(for: request($0)) }
        bench.network.gate.open()
        for task in tasks { _ = try await task.response }
        #expect(memory.priorities.events == [.high])
    }
}
