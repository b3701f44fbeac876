internal import Dispatch
internal import ImageCore

/// The rows of an image that no thread has processed yet, from the top. A thread that the system starts late or
/// interrupts processes fewer rows.
final class RowQueue: Sequence, Sendable {
    /// `nil` once the work was cancelled.
    private let rest: Lock<Range<Int>?>
    private let block: Int
    private let cancellation: CancellationToken?

    private init(rows: Int, block: Int, cancellation: CancellationToken?) {
        rest = Lock(0..<rows)
        (self.block, self.cancellation) = (block, cancellation)
    }

    /// Calls `body` once on each of up to `threads` threads, including that of the caller, and returns when all calls
    /// have returned. Together the calls take the rows `0..<rows`.
    ///
    /// The calls run at the same time, so each may write only to the rows that it took.
    ///
    /// - Parameters:
    ///   - block: the minimum number of rows for a thread.
    ///   - cancellation: checked whenever a thread takes rows; none are left once it is cancelled.
    ///   - body: takes rows until none are left.
    static func run(
        rows: Int, threads: Int, block: Int = 16, cancellation: CancellationToken? = nil, body: (RowQueue) -> Void
    ) throws(CancellationError) {
        let queue = RowQueue(rows: rows, block: block, cancellation: cancellation)
        let count = Swift.min(threads, rows / block, 64)
        if count > 1 {
            withoutActuallyEscaping(body) { body in
                // nonisolated(unsafe) because the calls share only the queue, by the contract above.
                nonisolated(unsafe) let body = body
                DispatchQueue.concurrentPerform(iterations: count) { _ in unsafe body(queue) }
            }
        } else {
            body(queue)
        }
        if queue.rest.withLock({ $0 == nil }) { throw CancellationError() }
    }

    /// Takes the next rows, at most `most`; `nil` if none are left.
    func take(_ most: Int) -> Range<Int>? {
        if let cancellation, cancellation.isCancelled { rest.withLock { $0 = nil } }
        return rest.withLock { rest in
            guard let all = rest, !all.isEmpty else { return nil }
            let taken = all.lowerBound..<all.lowerBound + Swift.min(most, all.count)
            rest = taken.upperBound..<all.upperBound
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
