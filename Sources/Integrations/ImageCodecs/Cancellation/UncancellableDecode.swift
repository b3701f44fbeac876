import Dispatch
import ImageCore

/// Decodes that a codec carries out in one go: a frame by libavif, a lossless image by libwebp.
///
/// When it is cancelled, such a decode is abandoned: the caller gets its `CancellationError` at once, and the codec runs on, on
/// a thread of its own, until it next checks the token; then its memory is freed. At most two decodes are abandoned at a time,
/// since they still use the processor, and together they hold at most `limits.decodedBytes`. A decode that would exceed
/// these limits waits until it or one of them ends.
enum UncancellableDecode {
    /// A decode of fewer bytes of pixels takes some milliseconds at most, and runs on the caller's thread.
    private static let minimumBytes = 1 << 20

    private static let abandoned = Lock(AbandonedDecodes())

    /// Bytes that abandoned decodes hold at this moment.
    static var abandonedBytes: Int { abandoned.withLock { $0.bytes } }

    /// How many cancelled decodes wait for room to be abandoned.
    static var waiting: Int { abandoned.withLock { $0.waiting.count } }

    /// Runs `decode`, on a thread of its own where it can be cancelled and is long.
    ///
    /// - Parameters:
    ///   - file: handed to `decode`; a copy of it where that may outlive the call.
    ///   - bytes: what the codec's pixels take.
    static func run(
        _ file: Data, holding bytes: Int, options: DecodeOptions, _ decode: @escaping @Sendable (Data) throws -> DecodedImage
    ) throws -> DecodedImage {
        guard let token = options.cancellation, bytes >= minimumBytes else { return try decode(file) }
        try token.check()
        let copy = unsafe file.withUnsafeBytes { unsafe Data($0) }
        let job = UncancellableJob { try decode(copy) }
        guard job.start(whenAbandoned: { giveBack($0) }) else { return try decode(file) }
        let (held, overflow) = bytes.addingReportingOverflow(file.count)
        let handler = token.onCancel { job.semaphore.signal() }
        // The token may be that of a whole animation.
        defer { handler.remove() }
        while true {
            job.semaphore.wait()
            if let result = job.result { return try result.get() }
            guard token.isCancelled, !overflow,
                abandoned.withLock({ $0.add(held, limit: options.limits.decodedBytes, notifying: job.semaphore) })
            else { continue }
            let memory = ResidualMemory(bytes: held)
            if job.abandon(holding: memory) {
                token.reportResidualMemory(memory)
                throw CancellationError()
            }
            // It has just ended.
            giveBack(memory)
        }
    }

    private static func giveBack(_ memory: ResidualMemory) {
        let waiting = abandoned.withLock { $0.remove(memory.bytes) }
        for semaphore in waiting { semaphore.signal() }
        memory.end()
    }
}

/// Abandoned decodes, and the cancelled ones that wait for room to be abandoned.
private struct AbandonedDecodes {
    private static let most = 2

    private var count = 0
    private(set) var bytes = 0
    private(set) var waiting: [DispatchSemaphore] = []

    /// Counts one more; where there is no room for it, `semaphore` is signalled when there may be.
    mutating func add(_ added: Int, limit: Int, notifying semaphore: DispatchSemaphore) -> Bool {
        guard count < Self.most, added <= limit, bytes <= limit - added else {
            waiting.append(semaphore)
            return false
        }
        (count, bytes) = (count + 1, bytes + added)
        return true
    }

    /// - Returns: the semaphores to signal.
    mutating func remove(_ removed: Int) -> [DispatchSemaphore] {
        (count, bytes) = (count - 1, bytes - removed)
        defer { waiting = [] }
        return waiting
    }
}
