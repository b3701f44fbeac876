import Foundation
import ImageCore
import Testing

@testable import ImageLoading

@Suite struct WorkerPoolRules {
    @Test func patienceGrowsWhileLookingOutIsWorthItAndShrinksWhileItIsNot() {
        var patience = Lookout.Patience(processors: 2)
        let most = patience.looks
        patience.looked(wasWorthIt: false)
        #expect(patience.looks == most / 2)
        for _ in 0..<20 { patience.looked(wasWorthIt: false) }
        // Never none at all, or it could not learn again.
        #expect(patience.looks == 1)
        patience.looked(wasWorthIt: true)
        #expect(patience.looks == 2)
        for _ in 0..<20 { patience.looked(wasWorthIt: true) }
        #expect(patience.looks == most)
    }

    @Test func withOneProcessorNobodyLooksOut() {
        var patience = Lookout.Patience(processors: 1)
        #expect(patience.isOver)
        patience.looked(wasWorthIt: true)
        #expect(patience.isOver)
    }

    /// Jobs come one at a time, so that each finds the threads looking out, asleep, or on their way there.
    @Test func everyJobRunsOnceHoweverTheThreadsWaitForIt() async {
        let pool = WorkerPool(size: 2)
        let runs = Lock(0)
        for number in 0..<20_000 {
            await withCheckedContinuation { continuation in
                if number.isMultiple(of: 3) { pool.submit(from: .elsewhere) { runs.withLock { $0 += 1 } } }
                pool.submit(from: .elsewhere) {
                    runs.withLock { $0 += 1 }
                    continuation.resume()
                }
            }
        }
        let expected = 20_000 + (0..<20_000).count { $0.isMultiple(of: 3) }
        while runs.withLock({ $0 }) < expected { await Task.yield() }
        #expect(runs.withLock { $0 } == expected)
    }

    @Test func aPoolThatGoesRunsWhatItWasGiven() async {
        let runs = Lock(0)
        var pool: WorkerPool? = WorkerPool(size: 2)
        for _ in 0..<100 { pool?.submit(from: .elsewhere) { runs.withLock { $0 += 1 } } }
        pool = nil
        while runs.withLock({ $0 }) < 100 { await Task.yield() }
        #expect(runs.withLock { $0 } == 100)
    }
}
