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
}
