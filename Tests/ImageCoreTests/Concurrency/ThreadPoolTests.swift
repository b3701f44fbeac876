import Foundation
import CalotypeTesting
import ImageCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct ThreadPoolRules {
    /// Jobs come one at a time, so that each finds the threads asleep, or on their way there.
    @Test func everyJobRunsOnceHoweverTheThreadsWaitForIt() async {
        let pool = ThreadPool(size: 2)
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
        var pool: ThreadPool? = ThreadPool(size: 2)
        for _ in 0..<100 { pool?.submit { runs.withLock { $0 += 1 } } }
        pool = nil
        while runs.withLock({ $0 }) < 100 { await Task.yield() }
        #expect(runs.withLock { $0 } == 100)
    }

    @Test func aCancelledTaskBeginsNoCall() async throws {
        let (pool, gate) = (ThreadPool(size: 1), Gate())
        let task = Task {
            try? await gate.pass()
            return try await pool.run { true }
        }
        await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Also where a thread has waited for calls before: it takes one of two, and the other one gets a new thread.
    @Test func aCallThatBlocksHoldsUpNoOther() async throws {
        for _ in 0..<100 {
            let (pool, gate) = (ThreadPool(size: 2), DispatchSemaphore(value: 0))
            try await pool.run {}
            for _ in 0..<10 { await Task.yield() }
            pool.submit { gate.wait() }
            try await pool.run { _ = gate.signal() }
        }
    }

    @Test func aPoolOfOneThreadRunsOneCallAtATimeInOrder() async throws {
        let (pool, gate) = (ThreadPool(size: 1), DispatchSemaphore(value: 0))
        let order = Lock([Int]())
        pool.submit { gate.wait() }
        for number in 0..<100 { pool.submit { order.withLock { $0.append(number) } } }
        // A second thread would have run them by now.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(order.withLock { $0 } == [])
        gate.signal()
        #expect(try await pool.run { order.withLock { $0 } } == Array(0..<100))
    }
}
