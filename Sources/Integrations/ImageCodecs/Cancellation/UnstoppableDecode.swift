import Dispatch
import ImageCore

/// Decodes that a codec carries out in one go: a frame by libavif, a lossless picture by libwebp.
///
/// Cancelled, such a decode is left alone: the caller gets its `CancellationError` at once, and the codec goes on, on a
/// thread of its own, to where the token is looked at next; then its memory is freed. Decodes that were left alone are
/// counted: there are two at most, for the processor's sake, and what they hold together is bounded by `limits.decodedBytes`.
/// One that would pass that waits, for its own end or for theirs.
enum UnstoppableDecode {
    /// Below so many bytes of pixels a decode is over before anyone could miss it: some milliseconds.
    private static let worthAThread = 1 << 20

    private static let abandoned = Lock(AbandonedDecodes())

    /// What decodes hold that were cancelled and go on by themselves, at this moment.
    static var abandonedBytes: Int { abandoned.withLock { $0.bytes } }

    /// How many cancelled decodes wait for room to be left alone.
    static var waiting: Int { abandoned.withLock { $0.waiting.count } }

    /// Runs `decode`, on a thread of its own where it can be cancelled and is long.
    ///
    /// - Parameters:
    ///   - file: handed to `decode`; a copy of it where that may outlive the call.
    ///   - bytes: what the codec's pixels take.
    static func run(
        _ file: Data, holding bytes: Int, options: DecodeOptions, _ decode: @escaping @Sendable (Data) throws -> DecodedImage
    ) throws -> DecodedImage {
        guard let token = options.cancellation, bytes >= worthAThread else { return try decode(file) }
        try token.check()
        let copy = unsafe file.withUnsafeBytes { unsafe Data($0) }
        let job = UnstoppableJob { try decode(copy) }
        guard job.start(whenAbandoned: { giveBack($0) }) else { return try decode(file) }
        let (held, overflow) = bytes.addingReportingOverflow(file.count)
        let handler = token.onCancel { job.news.signal() }
        // The token may be that of a whole animation.
        defer { handler.remove() }
        while true {
            job.news.wait()
            if let result = job.result { return try result.get() }
            guard token.isCancelled, !overflow,
                abandoned.withLock({ $0.add(held, limit: options.limits.decodedBytes, orTell: job.news) })
            else { continue }
            let remainder = CancelledRemainder(bytes: held)
            if job.abandon(as: remainder) {
                token.leaveBehind(remainder)
                throw CancellationError()
            }
            // It has just ended.
            giveBack(remainder)
        }
    }

    private static func giveBack(_ remainder: CancelledRemainder) {
        let waiting = abandoned.withLock { $0.remove(remainder.bytes) }
        for news in waiting { news.signal() }
        remainder.end()
    }
}

/// Decodes that were left alone, and who waits for room to leave another.
private struct AbandonedDecodes {
    private static let most = 2

    private var count = 0
    private(set) var bytes = 0
    private(set) var waiting: [DispatchSemaphore] = []

    /// Counts one more; where there is no room for it, `news` is signalled when there may be.
    mutating func add(_ added: Int, limit: Int, orTell news: DispatchSemaphore) -> Bool {
        guard count < Self.most, added <= limit, bytes <= limit - added else {
            waiting.append(news)
            return false
        }
        (count, bytes) = (count + 1, bytes + added)
        return true
    }

    /// - Returns: whom to tell.
    mutating func remove(_ removed: Int) -> [DispatchSemaphore] {
        (count, bytes) = (count - 1, bytes - removed)
        defer { waiting = [] }
        return waiting
    }
}
