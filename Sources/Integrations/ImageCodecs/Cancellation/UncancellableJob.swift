import CalotypeSystem
import Dispatch
import ImageCore

/// A decode on its own thread, which the caller may abandon.
final class UncancellableJob: Sendable {
    private enum State {
        case running(@Sendable () throws -> DecodedImage)
        /// The caller no longer waits for the result.
        case abandoned(ResidualMemory)
        case ended(Result<DecodedImage, any Error>)
    }

    private let state: Lock<State>

    /// Signalled when the decode ends, when it is cancelled, and when it may be possible to abandon it.
    let semaphore = DispatchSemaphore(value: 0)

    init(_ decode: @escaping @Sendable () throws -> DecodedImage) { state = Lock(.running(decode)) }

    /// Starts the decode. The thread has the main thread's usual stack size, which codecs rely on.
    ///
    /// - Parameter end: Called after an abandoned decode has ended and its file and pixels are freed.
    func start(whenAbandoned end: @escaping @Sendable (ResidualMemory) -> Void) -> Bool {
        DetachedThread.start(stackBytes: 8 << 20) {
            if let memory = self.run() { end(memory) } else { self.semaphore.signal() }
        }
    }

    /// The result, after the decode has ended.
    var result: Result<DecodedImage, any Error>? {
        state.withLock { state in
            if case .ended(let result) = state { result } else { nil }
        }
    }

    /// Abandons the decode. Returns `false` when it has just ended.
    func abandon(holding memory: ResidualMemory) -> Bool {
        state.withLock { state in
            guard case .running = state else { return false }
            state = .abandoned(memory)
            return true
        }
    }

    /// Runs the decode and frees its file and pixels. Returns the remainder if the decode was abandoned.
    private func run() -> ResidualMemory? {
        let decode: @Sendable () throws -> DecodedImage
        switch state.withLock({ $0 }) {
        case .running(let work): decode = work
        case .abandoned(let memory): return memory
        case .ended: return nil
        }
        let result = Result { try decode() }
        return state.withLock { state in
            if case .abandoned(let memory) = state { return memory }
            state = .ended(result)
            return nil
        }
    }
}
