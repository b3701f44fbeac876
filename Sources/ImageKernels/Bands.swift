internal import CCalotypeKernels
internal import ImageCore

/// Work on rows, split among threads.
enum Bands {
    /// Calls `body` with ranges that make up `0..<rows`, one per thread; with one range for the whole where that is all
    /// that is worth it. Returns when all are done; throws the first error of the lowest range.
    ///
    /// `body` runs on several threads at once, so it may only write what belongs to its rows.
    static func run(rows: Int, threads: Int, least: Int = 16, body: (Range<Int>) throws -> Void) throws {
        let count = max(1, min(threads, rows / least, 64))
        guard count > 1 else { return try body(0..<rows) }
        try withoutActuallyEscaping(body) { body in
            let work = Work(rows: rows, count: count, body: body)
            unsafe clt_run_together(
                count,
                { context, index in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run(index)
                }, Unmanaged.passUnretained(work).toOpaque())
            try work.rethrow()
        }
    }

    private final class Work {
        private let rows: Int
        private let count: Int
        private let body: (Range<Int>) throws -> Void
        private let failures = Lock<[Int: any Error]>([:])

        init(rows: Int, count: Int, body: @escaping (Range<Int>) throws -> Void) {
            (self.rows, self.count, self.body) = (rows, count, body)
        }

        func run(_ index: Int) {
            do {
                try body(rows * index / count..<rows * (index + 1) / count)
            } catch {
                failures.withLock { $0[index] = error }
            }
        }

        func rethrow() throws {
            if let first = failures.withLock({ failures in failures.min { $0.key < $1.key }?.value }) { throw first }
        }
    }
}
