internal import ImageCore

/// What one load waits for; the first end is the one.
final class BackgroundWaiter<Value: Sendable>: Sendable {
    private typealias Answer = Result<Value, any Error>
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, any Error>)
        case ended(Answer)
    }

    private let state = Lock(State.idle)

    /// To be asked for once.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Answer? in
                    if case .ended(let answer) = state { return answer }
                    state = .waiting(continuation)
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        }
    }

    func end(_ answer: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            if case .ended = state { return nil }
            defer { state = .ended(answer) }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: answer)
    }
}
