internal import ImageCore

extension LoopbackServer {
    /// A counter for which a test can wait. Its value never decreases.
    public final class Counter: Sendable {
        private struct State {
            var value = 0
            var waiters: [(target: Int, continuation: AsyncStream<Void>.Continuation)] = []
        }

        private let state = Lock(State())

        init() {}

        /// The current value.
        public var value: Int { state.withLock { $0.value } }

        /// Suspends the task until the value is at least `target`.
        ///
        /// - Throws: `CancellationError` when the task is cancelled first.
        public func wait(forCount target: Int) async throws {
            let (reached, continuation) = AsyncStream<Void>.makeStream()
            state.withLock { state in
                guard state.value < target else { return continuation.finish() }
                state.waiters.append((target, continuation))
            }
            // The stream has no element. It ends at the target, or with the task.
            for await _ in reached {}
            guard value >= target else { throw CancellationError() }
        }

        package func increment() {
            let ready = state.withLock { state in
                state.value += 1
                let value = state.value
                defer { state.waiters.removeAll { $0.target <= value } }
                return state.waiters.filter { $0.target <= value }
            }
            for waiter in ready { waiter.continuation.finish() }
        }
    }
}
