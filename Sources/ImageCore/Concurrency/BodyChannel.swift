/// Passes a response from callbacks to the task that reads it, with back-pressure. Network layers that are based on callbacks use
/// it.
///
/// The network layer stores status and header fields (the head) itself; the channel only reports that they have arrived. Each
/// side changes the state under the lock and resumes the other side outside of it. At most one reader waits at a time.
package struct BodyChannel: ~Copyable, Sendable {
    typealias Waiter = CheckedContinuation<BodyChunk?, any Error>

    // Internal, because modules that store a channel need its layout.
    struct State {
        var isCancelled = false
        var hasHead = false
        var unread = ChunkList()
        var end: Result<Void, any Error>?
        /// Whether the producer stopped receiving because too many bytes were unread. The reader then calls `onDrained` when it
        /// has read everything.
        var isPaused = false
        var waiter: Waiter?
        /// Whether the waiter waits for the head instead of the next chunk.
        var isHeadAwaited = false
    }

    private let state = Lock(State())

    /// Creates a channel of a response that has not begun.
    package init() {}

    // MARK: Reader

    /// Starts the transfer and waits for the head of the response.
    ///
    /// - Parameters:
    ///   - begin: starts the transfer. Not called if the transfer has already ended.
    ///   - onCancel: called when the task is cancelled.
    /// - Returns: the whole body if it arrived with the head; `nil` if the body must be read with ``next(onDrained:onCancel:)``.
    /// - Throws: `CancellationError` if the task is cancelled; the error that ended the transfer.
    package func waitForHead(_ begin: () -> Void, onCancel: @Sendable () -> Void) async throws -> Data? {
        let body = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                enum Answer {
                    case wait, cancelled, end(Result<BodyChunk?, any Error>)
                }
                let answer = state.withLock { state -> Answer in
                    if state.isCancelled { return .cancelled }
                    // The transfer may have ended before, for example by its timeout.
                    if state.end != nil, let answer = state.takeHeadAnswer() { return .end(answer) }
                    (state.waiter, state.isHeadAwaited) = (waiter, true)
                    return .wait
                }
                switch answer {
                case .wait: begin()
                case .cancelled: waiter.resume(throwing: CancellationError())
                case .end(let answer): waiter.resume(with: answer)
                }
            }
        } onCancel: {
            onCancel()
        }
        synchronizeWithProducer()
        return body?.data
    }

    /// Waits for the next chunk.
    ///
    /// - Parameters:
    ///   - onDrained: called when everything was read and the producer is paused.
    ///   - onCancel: called when the task is cancelled.
    /// - Returns: the chunk; `nil` at the end of the body.
    /// - Throws: `CancellationError` if the task is cancelled; the error that ended the body.
    package func next(onDrained: () -> Void, onCancel: @Sendable () -> Void) async throws -> Data? {
        let chunk = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                enum Answer {
                    case chunk(BodyChunk), end(Result<Void, any Error>), wait, misuse
                }
                let (answer, mustReport) = state.withLock { state -> (Answer, Bool) in
                    if state.isCancelled { return (.end(.failure(CancellationError())), false) }
                    guard state.waiter == nil else { return (.misuse, false) }
                    if let chunk = state.unread.removeFirst() {
                        // The producer resumes when everything was read, not after every chunk.
                        guard state.unread.isEmpty else { return (.chunk(chunk), false) }
                        defer { state.isPaused = false }
                        return (.chunk(chunk), state.isPaused)
                    }
                    if let end = state.end { return (.end(end), false) }
                    (state.waiter, state.isHeadAwaited) = (waiter, false)
                    return (.wait, false)
                }
                if mustReport { onDrained() }
                switch answer {
                case .wait: break
                case .chunk(let chunk): waiter.resume(with: .success(chunk))
                case .end(let end): waiter.resume(with: end.map { nil })
                case .misuse:
                    let message = "Two tasks read a response body at the same time. Read a body from one task."
                    waiter.resume(with: .failure(ImageError(.invalidRequest, message: message)))
                }
            }
        } onCancel: {
            onCancel()
        }
        synchronizeWithProducer()
        return chunk?.data
    }

    /// Reports to the thread sanitizer that the producer's work happened before the reader's. Swift does not report it if a
    /// continuation is resumed before its task waits.
    private func synchronizeWithProducer() {
        #if THREAD_SANITIZER
            state.withLock { _ in }
        #endif
    }

    /// Cancels the response and resumes a waiting reader.
    ///
    /// - Returns: whether the response had not ended, so that the producer must stop.
    package func cancel() -> Bool {
        let (waiter, wasOver) = state.withLock { state in
            let wasOver = state.isOver
            state.isCancelled = true
            state.unread = ChunkList()
            defer { state.waiter = nil }
            return (state.waiter, wasOver)
        }
        waiter?.resume(throwing: CancellationError())
        return !wasOver
    }

    // MARK: Producer

    /// Whether the reader cancelled the response.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether the response was cancelled or has ended.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether the producer must wait for `onDrained`.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// The state of the channel after the producer published something.
    package struct Receipt {
        /// The number of bytes that are not read yet.
        package var unread: Int
        /// Whether the producer must wait for `onDrained`.
        package var isPaused: Bool
    }

    /// A waiting reader. Resume it once, outside of all locks.
    package struct Wake: Sendable {
        fileprivate let waiter: Waiter
        fileprivate let answer: Result<BodyChunk?, any Error>

        /// Resumes the reader.
        package consuming func wakeUp() { waiter.resume(with: answer) }
    }

    /// Adds what was received to the channel and resumes a waiting reader.
    ///
    /// - Returns: `nil` if the response is over.
    @discardableResult
    package func publish(
        hasHead: Bool = false, chunks: ChunkList = ChunkList(), end: Result<Void, any Error>? = nil
    ) -> Receipt? {
        var chunks = chunks
        let (receipt, wake) = handOver(hasHead: hasHead, chunks: &chunks, end: end)
        wake?.wakeUp()
        return receipt
    }

    /// Adds what was received to the channel. The caller resumes the reader. `chunks` is empty afterwards.
    package func handOver(
        hasHead: Bool, chunks: inout ChunkList, end: Result<Void, any Error>?
    ) -> (receipt: Receipt?, wake: Wake?) {
        state.withLock { state -> (Receipt?, Wake?) in
            guard !state.isOver else {
                chunks = ChunkList()
                return (nil, nil)
            }
            if hasHead { state.hasHead = true }
            state.unread.append(movingFrom: &chunks)
            if let end { state.end = end }
            var wake: Wake?
            if let waiter = state.waiter, let answer = state.isHeadAwaited ? state.takeHeadAnswer() : state.takeBodyAnswer() {
                wake = Wake(waiter: waiter, answer: answer)
                state.waiter = nil
            }
            return (Receipt(unread: state.unread.byteCount, isPaused: state.isPaused), wake)
        }
    }

    /// Pauses the producer if more than `allowed` bytes are unread.
    ///
    /// - Returns: whether the producer must stop receiving until the reader calls `onDrained`. Both sides decide under the same
    ///   lock, so the producer cannot miss that call.
    package func pauses(above allowed: Int) -> Bool {
        state.withLock { state in
            guard !state.isCancelled, state.unread.byteCount > allowed else { return false }
            state.isPaused = true
            return true
        }
    }
}

extension BodyChannel.State {
    fileprivate var isOver: Bool { isCancelled || end != nil }

    /// The result for a reader that waits for the head: the body if all of it has arrived in at most one chunk, else `nil`. An
    /// end that comes before the head is the result itself.
    fileprivate mutating func takeHeadAnswer() -> Result<BodyChunk?, any Error>? {
        guard hasHead else { return end.map { $0.map { nil } } }
        guard case .success = end, unread.count <= 1 else { return .success(nil) }
        return .success(unread.removeFirst() ?? .data(Data()))
    }

    fileprivate mutating func takeBodyAnswer() -> Result<BodyChunk?, any Error>? {
        if let chunk = unread.removeFirst() {
            if unread.isEmpty { isPaused = false }
            return .success(chunk)
        }
        return end.map { $0.map { nil } }
    }
}
