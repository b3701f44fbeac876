import Dispatch
import ImageCore
import Testing

@testable import ImageKernels

@Suite struct RowQueueTests {
    @Test(arguments: [(1, 1), (15, 2), (32, 2), (1000, 2), (1001, 3), (997, 64)])
    func everyRowIsProcessedOnce(rows: Int, threads: Int) throws {
        let times = Lock(Array(repeating: 0, count: rows))
        let calls = Lock(0)
        try RowQueue.run(rows: rows, threads: threads) { queue in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // One row at a time, and several at a time.
            if call % 2 == 0 {
                for row in queue { times.withLock { $0[row] += 1 } }
            } else {
                while let few = queue.take(7) { times.withLock { times in few.forEach { times[$0] += 1 } } }
            }
        }
        #expect(times.withLock { $0 } == Array(repeating: 1, count: rows))
    }

    @Test func aThreadTakesTheRemainingRowsOfABlockedThread() throws {
        let isOver = DispatchSemaphore(value: 0)
        let rowsOfHeld = Lock(0)
        let rest = Lock(1000 - 1)
        try RowQueue.run(rows: 1000, threads: 2) { queue in
            var isHeld = false
            for row in queue {
                // The thread with the first row waits until the other thread has processed nearly all rows.
                if row == 0 {
                    isHeld = true
                    _ = isOver.wait(timeout: .now() + 20)
                }
                if isHeld { rowsOfHeld.withLock { $0 += 1 } }
                let left = rest.withLock { left in
                    left -= 1
                    return left
                }
                if left == 40 { isOver.signal() }
            }
        }
        #expect(rowsOfHeld.withLock { $0 } <= 41)
    }

    @Test func aCancelledRunThrowsWhenAllThreadsHaveEnded() {
        let running = Lock(0)
        let token = CancellationToken()
        #expect(throws: CancellationError.self) {
            try RowQueue.run(rows: 100_000, threads: 2, cancellation: token) { queue in
                running.withLock { $0 += 1 }
                defer { running.withLock { $0 -= 1 } }
                for row in queue {
                    if row == 60_000 { token.cancel() }
                    #expect(row < 61_000, "No rows are left once the token is cancelled.")
                }
            }
        }
        #expect(running.withLock { $0 } == 0)
    }
}
