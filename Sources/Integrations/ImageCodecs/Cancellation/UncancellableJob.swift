import CalotypeSystem
import Dispatch
import ImageCore

/// One decode on a thread of its own, where the caller may abandon it.
final class UncancellableJob: Sendable {
    private enum State {
        case running(@Sendable () throws -> DecodedImage)
        /// Its caller no longer waits.
        case abandoned(ResidualMemory)
        case ended(Result<DecodedImage, any Error>)
    }

    private let state: Lock<State>

    /// Signalled when the decode has ended, when it is cancelled, and when there may be room to abandon it.
    let semaphore = DispatchSemaphore(value: 0)

    init(_ decode: @escaping @Sendable () throws -> DecodedImage) { state = Lock(.running(decode)) }

    /// Codecs are written for the main thread's stack.
    ///
    /// - Parameter end: called when it has ended after it was abandoned, its file and pixels freed.
    func start(whenAbandoned end: @escaping @Sendable (ResidualMemory) -> Void) -> Bool {
        DetachedThread.start(stackBytes: 8 << 20) {
            if let memory = self.run() { end(memory) } else { self.semaphore.signal() }
        }
    }

    /// Once it has ended.
    var result: Result<DecodedImage, any Error>? {
        state.withLock { state in
            if case .ended(let result) = state { result } else { nil }
        }
    }

    /// Lets it run to its end without the caller; `false` where it has just ended.
    func abandon(holding memory: ResidualMemory) -> Bool {
        state.withLock { state in
            guard case .running = state else { return false }
            state = .abandoned(memory)
            return true
        }
    }

    /// The memory that it was abandoned with, if it was; the file and the pixels are freed by the return.
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
