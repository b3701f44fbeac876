import CalotypeThreads
import Dispatch
import ImageCore

/// Decodes that a codec carries out in one go: a frame by libavif, a lossless picture by libwebp.
///
/// Cancelled, such a decode is left alone: the caller gets its `CancellationError` within milliseconds, and the codec goes on,
/// on a thread of its own, to where the token is looked at next; then its memory is freed. Decodes that were left alone are
/// counted: there are two at most, for the processor's sake, and what they hold together is bounded by `limits.decodedBytes`.
/// One that would pass that is waited for.
enum UnstoppableDecode {
    /// Below so many bytes of pixels a decode is over before anyone could miss it: some milliseconds.
    private static let worthAThread = 1 << 20

    private static let most = 2
    private static let abandoned = Lock((count: 0, bytes: 0))

    /// What decodes hold that were cancelled and go on by themselves, at this moment.
    static var abandonedBytes: Int { abandoned.withLock { $0.bytes } }

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
        let job = Job { try decode(copy) }
        guard job.start() else { return try decode(file) }
        let (held, overflow) = bytes.addingReportingOverflow(file.count)
        while !job.wait(milliseconds: 2) {
            guard token.isCancelled, !overflow, take(held, limit: options.limits.decodedBytes) else { continue }
            if job.abandon(holding: held) { throw CancellationError() }
            give(back: held)
        }
        return try job.result()
    }

    private static func take(_ bytes: Int, limit: Int) -> Bool {
        abandoned.withLock { sum in
            guard sum.count < most, bytes <= limit, sum.bytes <= limit - bytes else { return false }
            sum = (sum.count + 1, sum.bytes + bytes)
            return true
        }
    }

    fileprivate static func give(back bytes: Int) { abandoned.withLock { $0 = ($0.count - 1, $0.bytes - bytes) } }
}

/// One decode on a thread of its own.
private final class Job: Sendable {
    private enum State {
        case running(@Sendable () throws -> DecodedImage)
        /// Nobody waits any more; so many bytes are counted until the end.
        case abandoned(bytes: Int)
        case ended(Result<DecodedImage, any Error>)
    }

    private let state: Lock<State>
    private let end = DispatchSemaphore(value: 0)

    init(_ decode: @escaping @Sendable () throws -> DecodedImage) { state = Lock(.running(decode)) }

    /// Codecs are written for the main thread's stack.
    func start() -> Bool { DetachedThread.start(stackBytes: 8 << 20) { self.run() } }

    func wait(milliseconds: Int) -> Bool { end.wait(timeout: .now() + .milliseconds(milliseconds)) == .success }

    /// Once it has ended.
    func result() throws -> DecodedImage {
        guard case .ended(let result) = state.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    /// Lets it go on without anyone; `false` where it has just ended.
    func abandon(holding bytes: Int) -> Bool {
        state.withLock { state in
            guard case .running = state else { return false }
            state = .abandoned(bytes: bytes)
            return true
        }
    }

    private func run() {
        if let bytes = decode() { UnstoppableDecode.give(back: bytes) } else { end.signal() }
    }

    /// What was counted, where it was abandoned; the file and the pixels are freed by the return.
    private func decode() -> Int? {
        let decode: @Sendable () throws -> DecodedImage
        switch state.withLock({ $0 }) {
        case .running(let work): decode = work
        case .abandoned(let bytes): return bytes
        case .ended: return nil
        }
        let result = Result { try decode() }
        return state.withLock { state in
            if case .abandoned(let bytes) = state { return bytes }
            state = .ended(result)
            return nil
        }
    }
}
