/// Hands a response from the callbacks that receive it to the task that reads it, with back-pressure: the part that network
/// layers made of callbacks have in common. The head itself is the layer's own to keep; here it is only announced.
///
/// Each side takes the lock for a moment and resumes the other outside it. At most one reader waits at a time. What a side
/// has to tell the layer beyond that, it is told by the closures that it passes.
package final class BodyChannel: Sendable {
    fileprivate struct State {
        var isCancelled = false
        var hasHead = false
        /// Chunks, the oldest first, and their length together.
        var unread: [Data] = []
        var unreadCount = 0
        var end: Result<Void, any Error>?
        /// The producer refused bytes because nobody read; the reader owes it a word when it has read.
        var isPaused = false
        var headWaiter: CheckedContinuation<Void, any Error>?
        var bodyWaiter: CheckedContinuation<Data?, any Error>?
    }

    private let state = Lock(State())

    package init() {}

    // MARK: The reader's side

    /// Runs `begin`, which starts the transfer, and returns when the head is there.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, after `onCancel`; and the end, when it comes first.
    package func waitForHead(_ begin: () -> Void, onCancel: @Sendable () -> Void) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWanted = state.withLock { state in
                    if !state.isCancelled { state.headWaiter = continuation }
                    return !state.isCancelled
                }
                guard isWanted else { return continuation.resume(throwing: CancellationError()) }
                begin()
            }
        } onCancel: {
            onCancel()
        }
    }

    /// The body, when all of it is here already; to be asked once the head is there.
    package func takeWholeBody() -> Data? {
        state.withLock { state in
            guard case .success = state.end, state.unread.count <= 1 else { return nil }
            return state.takeChunk() ?? Data()
        }
    }

    /// The next chunk, once there is one; `nil` at the end. `onDrained` tells a producer that paused that all was read.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, after `onCancel`; and the error that ended the body.
    package func next(onDrained: () -> Void, onCancel: @Sendable () -> Void) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Answer {
                    case data(Data), end(Result<Void, any Error>), wait, misuse
                }
                let (answer, owesWord) = state.withLock { state -> (Answer, Bool) in
                    if state.isCancelled { return (.end(.failure(CancellationError())), false) }
                    guard state.bodyWaiter == nil else { return (.misuse, false) }
                    if let chunk = state.takeChunk() {
                        // Room for one chunk is no reason to go on: the producer is asked when there is nothing left.
                        guard state.unread.isEmpty else { return (.data(chunk), false) }
                        defer { state.isPaused = false }
                        return (.data(chunk), state.isPaused)
                    }
                    if let end = state.end { return (.end(end), false) }
                    state.bodyWaiter = continuation
                    return (.wait, false)
                }
                if owesWord { onDrained() }
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
            onCancel()
        }
    }

    /// Gives the response up: whoever waits is told now. Returns whether the producer still has to be told.
    package func cancel() -> Bool {
        let (head, body, isLate) = state.withLock { state in
            let isLate = state.isCancelled || state.end != nil
            state.isCancelled = true
            (state.unread, state.unreadCount) = ([], 0)
            defer { (state.headWaiter, state.bodyWaiter) = (nil, nil) }
            return (state.headWaiter, state.bodyWaiter, isLate)
        }
        head?.resume(throwing: CancellationError())
        body?.resume(throwing: CancellationError())
        return !isLate
    }

    // MARK: The producer's side

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether nothing more is taken: it was cancelled, or the end is here.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether the reader still owes the producer a word.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// What became of what the producer handed over.
    package struct Receipt {
        /// Bytes that nobody has read yet.
        package var unread: Int
        /// Whether the producer has to wait for the reader's word.
        package var isPaused: Bool
    }

    /// Hands over what came in, and wakes the reader; `nil` when nothing more is taken.
    @discardableResult
    package func publish(hasHead: Bool = false, chunks: [Data] = [], end: Result<Void, any Error>? = nil) -> Receipt? {
        struct Wake {
            var head: (CheckedContinuation<Void, any Error>, Result<Void, any Error>)?
            var body: (CheckedContinuation<Data?, any Error>, Result<Data?, any Error>)?
        }
        let (wake, receipt) = state.withLock { state -> (Wake, Receipt?) in
            guard !state.isOver else { return (Wake(), nil) }
            var wake = Wake()
            if hasHead { state.hasHead = true }
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
            return (wake, Receipt(unread: state.unreadCount, isPaused: state.isPaused))
        }
        if let (waiter, outcome) = wake.head { waiter.resume(with: outcome) }
        if let (waiter, outcome) = wake.body { waiter.resume(with: outcome) }
        return receipt
    }

    /// Whether the producer must stop taking bytes while more than `allowed` are unread. A `true` obliges the reader to call
    /// `onDrained` when it has read, which it decides under the same lock, so the two cannot miss each other.
    package func pauses(above allowed: Int) -> Bool {
        state.withLock { state in
            guard !state.isCancelled, state.unreadCount > allowed else { return false }
            state.isPaused = true
            return true
        }
    }
}

extension BodyChannel.State {
    fileprivate var isOver: Bool { isCancelled || end != nil }

    /// A head that comes with the end was there first; an end alone says why there is none.
    fileprivate var headOutcome: Result<Void, any Error>? { hasHead ? .success(()) : end }

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

extension ImageError {
    /// A response that has, or announces, more bytes than are accepted; `source` as errors name it.
    package static func tooLarge(_ source: String, announced: Int?, limit: Int) -> ImageError {
        let found = announced.map { "is \($0) bytes long by its Content-Length" } ?? "goes on after \(limit) bytes"
        return ImageError(.tooLarge, message: "The response to \(source) \(found), and at most \(limit) bytes are accepted.")
    }
}
