import Foundation
import ImageCore
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct WorkerPoolRules {
    /// Jobs come one at a time, so that each finds the threads asleep, or on their way there.
    @Test func everyJobRunsOnceHoweverTheThreadsWaitForIt() async {
        let pool = WorkerPool(size: 2)
        let runs = Lock(0)
        for number in 0..<20_000 {
            await withCheckedContinuation { continuation in
                if number.isMultiple(of: 3) { pool.submit { runs.withLock { $0 += 1 } } }
                pool.submit {
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
        for _ in 0..<100 { pool?.submit { runs.withLock { $0 += 1 } } }
        pool = nil
        while runs.withLock({ $0 }) < 100 { await Task.yield() }
        #expect(runs.withLock { $0 } == 100)
    }
}
