internal import Dispatch
internal import ImageCore

/// The rows of an image that no thread has processed yet, from the top. A thread that the system starts late or interrupts
/// processes fewer rows.
final class RowQueue: Sequence, Sendable {
    private let rest: Lock<Range<Int>>
    private let block: Int

    private init(rows: Int, block: Int) {
        rest = Lock(0..<rows)
        self.block = block
    }

    /// Calls `body` once on each of up to `threads` threads, including that of the caller, and returns when all calls have
    /// returned. Together the calls take the rows `0..<rows`.
    ///
    /// The calls run at the same time, so each may write only to the rows that it took.
    ///
    /// - Parameters:
    ///   - block: the minimum number of rows for a thread.
    ///   - body: takes rows until none are left.
    /// - Throws: the first error that a call of `body` throws. Rows that were not taken before are not processed.
    static func run(rows: Int, threads: Int, block: Int = 16, body: (RowQueue) throws -> Void) throws {
        let queue = RowQueue(rows: rows, block: block)
        let count = Swift.min(threads, rows / block, 64)
        guard count > 1 else { return try body(queue) }
        let failure = Lock<(any Error)?>(nil)
        withoutActuallyEscaping(body) { body in
            // nonisolated(unsafe) because the calls share only the queue, by the contract above.
            nonisolated(unsafe) let body = body
            DispatchQueue.concurrentPerform(iterations: count) { _ in
                do {
                    try unsafe body(queue)
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                    _ = queue.take(.max)
                }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Takes the next rows, at most `most`; `nil` if none are left.
    func take(_ most: Int) -> Range<Int>? {
        rest.withLock { rest in
            guard !rest.isEmpty else { return nil }
            let taken = rest.lowerBound..<rest.lowerBound + Swift.min(most, rest.count)
            rest = taken.upperBound..<rest.upperBound
            return taken
        }
    }

    func makeIterator() -> Iterator { Iterator(queue: self) }

    /// A sequence of single rows, which are taken in blocks.
    struct Iterator: IteratorProtocol {
        fileprivate let queue: RowQueue
        fileprivate var block = 0..<0

        mutating func next() -> Int? {
            if block.isEmpty { block = queue.take(queue.block) ?? block }
            guard !block.isEmpty else { return nil }
            defer { block = block.lowerBound + 1..<block.upperBound }
            return block.lowerBound
        }
    }
}
