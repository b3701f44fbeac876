internal import CalotypeSystem
internal import ImageCore

extension LoopbackServer {
    /// A gate between a handler and a test: either waits until the other opens it. It opens once and stays open.
    public final class Gate: Sendable {
        /// Becomes readable when the gate opens, so that a thread can wait for a socket and a gate at once.
        let readEnd: Int32
        private let writeEnd: Lock<Int32?>
        private let count = Counter()

        /// Creates a closed gate.
        ///
        /// - Throws: ``SocketError`` when the system provides no pipe.
        public init() throws(SocketError) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw SocketError.last("pipe") }
            for end in ends { Sockets.keepFromChildren(end) }
            readEnd = ends[0]
            writeEnd = Lock(ends[1])
        }

        deinit {
            open()
            close(readEnd)
        }

        /// Opens the gate: every present and later wait ends.
        public func open() {
            writeEnd.withLock { end in
                if let end { close(end) }
                end = nil
            }
            count.increment()
        }

        /// Whether the gate is open.
        public var isOpen: Bool { writeEnd.withLock { $0 == nil } }

        /// Suspends the task until the gate is open.
        ///
        /// - Throws: `CancellationError` when the task is cancelled first.
        public func waitUntilOpen() async throws { try await count.wait(forCount: 1) }
    }

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

        func increment() {
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
