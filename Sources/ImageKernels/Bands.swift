internal import CCalotypeKernels
internal import ImageCore

/// Work on rows, split among threads.
enum Bands {
    /// Calls `body` with bands that make up `0..<rows`; with one for the whole where that is all that is worth it. Returns
    /// when all are done; throws the first error of the highest band.
    ///
    /// Each thread begins with a band of equal height. One that is done takes over the lower half of what another has left, so
    /// that a thread which the system started late, or took the processor from, keeps nobody waiting.
    ///
    /// `body` runs on several threads at once, so it may only write what belongs to its rows.
    ///
    /// - Parameter least: fewer rows are not worth a thread's while.
    static func run(rows: Int, threads: Int, least: Int = 16, body: (Band) throws -> Void) throws {
        let count = max(1, min(threads, rows / least, 64))
        guard count > 1 else { return try body(Band(0..<rows)) }
        try withoutActuallyEscaping(body) { body in
            let work = Work(rows: rows, count: count, least: least, body: body)
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
        /// What each thread works on.
        private let bands: Lock<[Band]>
        private let least: Int
        private let body: (Band) throws -> Void
        /// By the first row of the band.
        private let failures = Lock<[Int: any Error]>([:])

        init(rows: Int, count: Int, least: Int, body: @escaping (Band) throws -> Void) {
            bands = Lock((0..<count).map { Band(rows * $0 / count..<rows * ($0 + 1) / count) })
            (self.least, self.body) = (least, body)
        }

        func run(_ index: Int) {
            var band: Band? = bands.withLock { $0[index] }
            while let mine = band {
                do {
                    try body(mine)
                } catch {
                    failures.withLock { $0[mine.lowerBound] = error }
                    // Nobody needs what is left.
                    bands.withLock { bands in bands.forEach { _ = $0.take(.max) } }
                }
                band = takeOver(index)
            }
        }

        /// A band out of the one that has the most left.
        private func takeOver(_ index: Int) -> Band? {
            bands.withLock { bands in
                guard let band = bands.max(by: { $0.count < $1.count })?.split(least: least) else { return nil }
                bands[index] = band
                return band
            }
        }

        func rethrow() throws {
            if let first = failures.withLock({ failures in failures.min { $0.key < $1.key }?.value }) { throw first }
        }
    }
}

/// Rows for one thread, which takes them from above to below; others may take over the lowest of them.
final class Band: Sequence, Sendable {
    /// The first row, taken or not.
    let lowerBound: Int
    private let left: Lock<Range<Int>>

    init(_ rows: Range<Int>) {
        lowerBound = rows.lowerBound
        left = Lock(rows)
    }

    /// How many rows have not been taken.
    var count: Int { left.withLock { $0.count } }

    /// The next rows, at most so many; `nil` when there are none.
    func take(_ most: Int) -> Range<Int>? {
        left.withLock { left in
            guard !left.isEmpty else { return nil }
            let taken = left.lowerBound..<left.lowerBound + Swift.min(most, left.count)
            left = taken.upperBound..<left.upperBound
            return taken
        }
    }

    /// Gives up the lower half of what is left, where each half has `least` rows.
    func split(least: Int) -> Band? {
        left.withLock { left in
            guard left.count >= 2 * least else { return nil }
            let middle = left.lowerBound + left.count / 2
            defer { left = left.lowerBound..<middle }
            return Band(middle..<left.upperBound)
        }
    }

    func makeIterator() -> Rows { Rows(band: self) }

    /// Takes row after row.
    struct Rows: IteratorProtocol {
        let band: Band

        func next() -> Int? { band.take(1)?.lowerBound }
    }
}
