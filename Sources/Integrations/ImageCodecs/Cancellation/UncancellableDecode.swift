import Dispatch
import ImageCore

/// Runs decodes that a codec cannot interrupt: a frame by libavif, and a lossless image by libwebp.
///
/// When such a decode is cancelled, it is abandoned: the caller receives its `CancellationError` at once, and the codec continues
/// on its own thread until it next checks the token; then its memory is freed. At most two decodes are abandoned at a time, since
/// they still use the processor, and together they hold at most `limits.decodedBytes`. A decode that would exceed these limits
/// is waited for.
enum UncancellableDecode {
    /// A decode of fewer bytes of pixels takes a few milliseconds, and runs on the caller's thread.
    private static let minimumBytes = 1 << 20
    private static let mostAbandoned = 2

    private static let abandoned = Lock((count: 0, bytes: 0))

    /// The bytes that abandoned decodes hold now.
    static var abandonedBytes: Int { abandoned.withLock { $0.bytes } }

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
        guard job.start() else { return try decode(file) }
        let handler = token.onCancel { job.semaphore.signal() }
        // The token may belong to a whole animation.
        defer { handler.remove() }
        while true {
            job.semaphore.wait()
            if let result = job.result { return try result.get() }
            guard let memory = hold(bytes, file.count, limit: options.limits.decodedBytes) else { continue }
            if job.abandon(whenEnded: { giveBack(memory) }) {
                token.reportResidualMemory(memory)
                throw CancellationError()
            }
            // The decode has just ended.
            giveBack(memory)
        }
    }

    /// Counts a decode as abandoned. Returns `nil` when the limits do not allow it.
    private static func hold(_ bytes: Int, _ fileBytes: Int, limit: Int) -> ResidualMemory? {
        let (held, overflow) = bytes.addingReportingOverflow(fileBytes)
        return abandoned.withLock { abandoned in
            guard !overflow, abandoned.count < mostAbandoned, held <= limit - abandoned.bytes else { return nil }
            abandoned = (abandoned.count + 1, abandoned.bytes + held)
            return ResidualMemory(bytes: held)
        }
    }

    private static func giveBack(_ memory: ResidualMemory) {
        abandoned.withLock { $0 = ($0.count - 1, $0.bytes - memory.bytes) }
        memory.end()
    }
}
