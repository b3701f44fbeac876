internal import ImageCore

/// One fetch, seen from both sides: the task that reads it, and the loop's thread that fills it.
///
/// Each side takes the lock for a moment and resumes the other outside it. At most one reader waits at a time.
final class Transfer: Sendable {
    /// What the loop found out when the head was whole.
    struct Head: Sendable {
        var head: ResponseHead
        /// The final URL, where it is not the one asked for.
        var redirectedTo: String?
        var timing: TransferTiming
    }

    fileprivate struct State {
        var isCancelled = false
        var head: Head?
        /// Chunks, the oldest first, and their length together.
        var unread: [Data] = []
        var unreadCount = 0
        var end: Result<Void, any Error>?
        /// The loop refused bytes because nobody read; the reader owes it a message.
        var isPaused = false
        var headWaiter: CheckedContinuation<Head, any Error>?
        var bodyWaiter: CheckedContinuation<Data?, any Error>?
    }

    let request: DataRequest
    let firstHop: Hop
    /// The largest body, in bytes.
    let limit: Int
    private let mailbox: Mailbox
    private let state = Lock(State())

    init(_ request: DataRequest, hop: Hop, limit: Int, mailbox: Mailbox) {
        self.request = request
        firstHop = hop
        self.limit = limit
        self.mailbox = mailbox
    }

    // MARK: The reader's side

    /// Starts the transfer and waits for the head of its final response.
    func start() async throws -> Head {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWanted = state.withLock { state in
                    if !state.isCancelled { state.headWaiter = continuation }
                    return !state.isCancelled
                }
                guard isWanted else { return continuation.resume(throwing: CancellationError()) }
                if let refusal = mailbox.post(.start(self)) { publish(end: .failure(refusal)) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// The body, when all of it is here already; to be asked once the head is known.
    func takeWholeBody() -> Data? {
        state.withLock { state in
            guard case .success = state.end, state.unread.count <= 1 else { return nil }
            return state.takeChunk() ?? Data()
        }
    }

    /// The next chunk, once there is one; `nil` at the end.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Answer {
                    case data(Data), end(Result<Void, any Error>), wait, misuse
                }
                let (answer, owesResume) = state.withLock { state -> (Answer, Bool) in
                    if state.isCancelled { return (.end(.failure(CancellationError())), false) }
                    guard state.bodyWaiter == nil else { return (.misuse, false) }
                    if let chunk = state.takeChunk() {
                        // Room for one chunk is no reason to go on: the loop is asked when there is nothing left.
                        guard state.unread.isEmpty else { return (.data(chunk), false) }
                        defer { state.isPaused = false }
                        return (.data(chunk), state.isPaused)
                    }
                    if let end = state.end { return (.end(end), false) }
                    state.bodyWaiter = continuation
                    return (.wait, false)
                }
                if owesResume { _ = mailbox.post(.resume(self)) }
                switch answer {
                case .wait: break
                case .data(let data): continuation.resume(returning: data)
                case .end(let end): continuation.resume(with: end.map { nil })
                case .misuse:
                    continuation.resume(
                        throwing: ImageError(
                            .invalidRequest, message: "A body has one reader; a second one asked for bytes at the same time."))
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Gives the transfer up: whoever waits is told now, the loop closes what is open when it gets there.
    func cancel() {
        let (head, body, isLate) = state.withLock { state in
            let isLate = state.isCancelled || state.end != nil
            state.isCancelled = true
            (state.unread, state.unreadCount) = ([], 0)
            defer { (state.headWaiter, state.bodyWaiter) = (nil, nil) }
            return (state.headWaiter, state.bodyWaiter, isLate)
        }
        head?.resume(throwing: CancellationError())
        body?.resume(throwing: CancellationError())
        if !isLate { _ = mailbox.post(.cancel(self)) }
    }

    // MARK: The loop's side

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Hands over what came in, and wakes the reader. Returns how many bytes are still unread, and whether the loop has
    /// to wait for a `resume`.
    @discardableResult
    func publish(
        head: Head? = nil, chunks: [Data] = [], end: Result<Void, any Error>? = nil
    ) -> (unread: Int, isPaused: Bool) {
        struct Wake {
            var head: (CheckedContinuation<Head, any Error>, Result<Head, any Error>)?
            var body: (CheckedContinuation<Data?, any Error>, Result<Data?, any Error>)?
        }
        let (wake, unread, isPaused) = state.withLock { state -> (Wake, Int, Bool) in
            guard !state.isCancelled else { return (Wake(), 0, true) }
            var wake = Wake()
            if let head { state.head = head }
            if state.unread.isEmpty { state.unread = chunks } else { state.unread += chunks }
            state.unreadCount += chunks.reduce(0) { $0 + $1.count }
            if let end { state.end = end }
            if let waiter = state.headWaiter, let outcome = state.headOutcome {
                wake.head = (waiter, outcome)
                state.headWaiter = nil
            }
            if let waiter = state.bodyWaiter, let outcome = state.takeBodyOutcome() {
                wake.body = (waiter, outcome)
                state.bodyWaiter = nil
            }
            return (wake, state.unreadCount, state.isPaused)
        }
        if let (waiter, outcome) = wake.head { waiter.resume(with: outcome) }
        if let (waiter, outcome) = wake.body { waiter.resume(with: outcome) }
        return (unread, isPaused)
    }

    /// Whether the loop must stop taking bytes while more than `allowed` are unread. A `true` obliges the reader to post
    /// a `resume` when it reads, which it decides under the same lock, so the two cannot miss each other.
    func pauses(above allowed: Int) -> Bool {
        state.withLock { state in
            guard !state.isCancelled, state.unreadCount > allowed else { return false }
            state.isPaused = true
            return true
        }
    }
}

extension Transfer.State {
    fileprivate var headOutcome: Result<Transfer.Head, any Error>? {
        if let head { return .success(head) }
        if case .failure(let error) = end { return .failure(error) }
        return nil
    }

    fileprivate mutating func takeChunk() -> Data? {
        guard !unread.isEmpty else { return nil }
        let chunk = unread.removeFirst()
        unreadCount -= chunk.count
        return chunk
    }

    fileprivate mutating func takeBodyOutcome() -> Result<Data?, any Error>? {
        if let chunk = takeChunk() {
            if unread.isEmpty { isPaused = false }
            return .success(chunk)
        }
        return end.map { $0.map { nil } }
    }
}

extension Transfer: Hashable {
    static func == (a: Transfer, b: Transfer) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
