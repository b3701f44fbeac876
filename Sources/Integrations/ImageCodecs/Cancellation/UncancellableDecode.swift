import Dispatch
import ImageCore

/// Runs decodes that a codec cannot interrupt: a frame by libavif, and a lossless image by libwebp.
///
/// When such a decode is cancelled, it is abandoned: the caller receives its `CancellationError` at once, and the codec continues
/// on its own thread until it next checks the token; then its memory is freed. At most two decodes are abandoned at a time, since
/// they still use the processor, and together they hold at most `limits.decodedBytes`. A decode that would exceed these limits
/// waits until it or one of them ends.
enum UncancellableDecode {
    /// A decode of fewer bytes of pixels takes a few milliseconds, and runs on the caller's thread.
    private static let minimumBytes = 1 << 20

    private static let abandoned = Lock(AbandonedDecodes())

    /// The bytes that abandoned decodes hold now.
    static var abandonedBytes: Int { abandoned.withLock { $0.bytes } }

    /// The number of cancelled decodes that wait until they can be abandoned.
    static var waiting: Int { abandoned.withLock { $0.waiting.count } }

    /// Runs `decode`, on its own thread if it is long and can be cancelled.
    ///
    /// - Parameters:
    ///   - file: The data for `decode`, which receives a copy if it may outlive the call.
    ///   - bytes: The memory of the codec's pixels, in bytes.
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
        // The token may belong to a whole animation.
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
            // The decode has just ended.
            giveBack(memory)
        }
    }

    private static func giveBack(_ memory: ResidualMemory) {
        let waiting = abandoned.withLock { $0.remove(memory.bytes) }
        for semaphore in waiting { semaphore.signal() }
        memory.end()
    }
}

/// The abandoned decodes, and the cancelled decodes that wait until they can be abandoned.
private struct AbandonedDecodes {
    private static let most = 2

    private var count = 0
    private(set) var bytes = 0
    private(set) var waiting: [DispatchSemaphore] = []

    /// Adds a decode. When the limits do not allow it, `semaphore` is signalled as soon as they may.
    mutating func add(_ added: Int, limit: Int, notifying semaphore: DispatchSemaphore) -> Bool {
        guard count < Self.most, added <= limit, bytes <= limit - added else {
            waiting.append(semaphore)
            return false
        }
        (count, bytes) = (count + 1, bytes + added)
        return true
    }

    /// - Returns: The semaphores to signal.
    mutating func remove(_ removed: Int) -> [DispatchSemaphore] {
        (count, bytes) = (count - 1, bytes - removed)
        defer { waiting = [] }
        return waiting
    }
}
