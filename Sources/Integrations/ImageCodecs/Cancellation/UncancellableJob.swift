import CalotypeSystem
import Dispatch
import ImageCore

/// A decode on its own thread, which the caller may abandon.
final class UncancellableJob: Sendable {
    private enum State {
        case running(@Sendable () throws -> DecodedImage)
        /// The caller no longer waits for the result.
        case abandoned(whenEnded: @Sendable () -> Void)
        case ended(Result<DecodedImage, any Error>)
    }

    private let state: Lock<State>

    /// Signalled when the decode ends, and when it is cancelled.
    let semaphore = DispatchSemaphore(value: 0)

    init(_ decode: @escaping @Sendable () throws -> DecodedImage) { state = Lock(.running(decode)) }

    /// Starts the decode. The thread has the main thread's usual stack size, which codecs rely on.
    func start() -> Bool {
        DetachedThread.start(stackBytes: 8 << 20) {
            if let end = self.run() { end() } else { self.semaphore.signal() }
        }
    }

    /// The result, after the decode has ended.
    var result: Result<DecodedImage, any Error>? {
        state.withLock { state in
            if case .ended(let result) = state { result } else { nil }
        }
    }

    /// Abandons the decode. Returns `false` when it has just ended.
    ///
    /// - Parameter end: Called after the decode has ended and its file and pixels are freed.
    func abandon(whenEnded end: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .running = state else { return false }
            state = .abandoned(whenEnded: end)
            return true
        }
    }

    /// Runs the decode and frees its file and pixels. Returns what to call if the decode was abandoned.
    private func run() -> (@Sendable () -> Void)? {
        var result: Result<DecodedImage, any Error>?
        if case .running(let decode) = state.withLock({ $0 }) { result = Result { try decode() } }
        return state.withLock { [result] state in
            if case .abandoned(let end) = state { return end }
            if let result { state = .ended(result) }
            return nil
        }
    }
}
