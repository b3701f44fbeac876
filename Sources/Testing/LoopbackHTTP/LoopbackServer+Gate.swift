internal import CalotypeSystem

extension LoopbackServer {
    /// A gate between a handler and a test: either waits until the other opens it. It opens once and stays open.
    public final class Gate: Sendable {
        private struct State {
            var writeEnd: Int32?
        }

        /// Becomes readable when the gate opens, so that a thread can wait for a socket and a gate at once.
        let readEnd: Int32
        private let state: Monitor<State>
        private let count = Counter()

        /// Creates a closed gate.
        ///
        /// - Throws: ``SocketError`` when the system provides no pipe.
        public init() throws(SocketError) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw SocketError.last("pipe") }
            for end in ends { Sockets.keepFromChildren(end) }
            readEnd = ends[0]
            state = Monitor(State(writeEnd: ends[1]))
        }

        deinit {
            open()
            close(readEnd)
        }

        /// Opens the gate: every present and later wait ends.
        public func open() {
            state.withLock { state in
                if let end = state.writeEnd { close(end) }
                state.writeEnd = nil
            }
            count.increment()
        }

        /// Whether the gate is open.
        public var isOpen: Bool { state.withLock { $0.writeEnd == nil } }

        /// Suspends the task until the gate is open.
        ///
        /// - Throws: `CancellationError` when the task is cancelled first.
        public func waitUntilOpen() async throws { try await count.wait(forCount: 1) }
    }

    /// A counter for which a test can wait. Its value never decreases.
    public final class Counter: Sendable {
        private struct Waiter {
            let target: Int
            let continuation: CheckedContinuation<Void, any Error>
        }

        private struct State {
            var value = 0
            var nextID = 0
            var waiters: [Int: Waiter] = [:]
            /// The waiters that were cancelled before they were registered.
            var cancelled: Set<Int> = []
        }

        private let state = Monitor(State())

        init() {}

        /// The current value.
        public var value: Int { state.withLock { $0.value } }

        /// Suspends the task until the value is at least `target`.
        ///
        /// - Throws: `CancellationError` when the task is cancelled first.
        public func wait(forCount target: Int) async throws {
            let id = state.withLock { state in
                state.nextID += 1
                return state.nextID
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result: Result<Void, any Error>? = state.withLock { state in
                        if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                        if state.value >= target { return .success(()) }
                        state.waiters[id] = Waiter(target: target, continuation: continuation)
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                let waiter = state.withLock { state in
                    let waiter = state.waiters.removeValue(forKey: id)
                    if waiter == nil { state.cancelled.insert(id) }
                    return waiter
                }
                waiter?.continuation.resume(throwing: CancellationError())
            }
        }

        func increment() {
            let ready = state.withLock { state in
                state.value += 1
                let ready = state.waiters.filter { $0.value.target <= state.value }
                for id in ready.keys { state.waiters[id] = nil }
                return ready
            }
            for waiter in ready.values { waiter.continuation.resume() }
        }
    }
}
