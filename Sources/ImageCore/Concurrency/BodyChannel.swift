/// Passes a response from callbacks to the task that reads it, with back-pressure. Network layers that are based on
/// callbacks use it.
///
/// The network layer stores status and header fields (the head) itself; the channel only reports that they have
/// arrived. Each side changes the state under the lock and resumes the other side outside of it. At most one reader
/// waits at a time.
package struct BodyChannel: ~Copyable, Sendable {
    typealias Waiter = CheckedContinuation<Data?, any Error>

    // Internal, because modules that store a channel need its layout.
    struct State {
        var isCancelled = false
        var hasHead = false
        var unread: [Data] = []
        var unreadCount = 0
        var end: Result<Void, any Error>?
        /// Whether the producer stopped receiving because too many bytes were unread. The reader then calls `onDrained`
        /// when it has read everything.
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
    /// - Returns: the whole body if it arrived with the head; `nil` if the body must be read with
    ///   ``next(onDrained:onCancel:)``.
    /// - Throws: `CancellationError` if the task is cancelled; the error that ended the transfer.
    package func waitForHead(_ begin: () -> Void, onCancel: @Sendable () -> Void) async throws -> Data? {
        let body = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let answer = state.withLock { state -> Result<Data?, any Error>? in
                    if state.isCancelled { return .failure(CancellationError()) }
                    // The transfer may have ended before, for example by its timeout.
                    if state.end != nil, let answer = state.takeHeadAnswer() { return answer }
                    (state.waiter, state.isHeadAwaited) = (waiter, true)
                    return nil
                }
                if let answer { waiter.resume(with: answer) } else { begin() }
            }
        } onCancel: {
            onCancel()
        }
        synchronizeWithProducer()
        return body
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
                let (answer, mustReport) = state.withLock { state -> (Result<Data?, any Error>?, Bool) in
                    if state.isCancelled { return (.failure(CancellationError()), false) }
                    guard state.waiter == nil else {
                        let message = "Two tasks read a response body at the same time. Read a body from one task."
                        return (.failure(ImageError(.invalidRequest, message: message)), false)
                    }
                    // The producer resumes when everything was read, not after every chunk.
                    let wasPaused = state.isPaused
                    if let answer = state.takeBodyAnswer() { return (answer, wasPaused && !state.isPaused) }
                    (state.waiter, state.isHeadAwaited) = (waiter, false)
                    return (nil, false)
                }
                if mustReport { onDrained() }
                if let answer { waiter.resume(with: answer) }
            }
        } onCancel: {
            onCancel()
        }
        synchronizeWithProducer()
        return chunk
    }

    /// Reports to the thread sanitizer that the producer's work happened before the reader's. Swift does not report it
    /// if a continuation is resumed before its task waits.
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
            (state.unread, state.unreadCount) = ([], 0)
            defer { state.waiter = nil }
            return (state.waiter, wasOver)
        }
        waiter?.resume(throwing: CancellationError())
        return !wasOver
    }

    // MARK: Producer

    /// Whether the reader cancelled the response.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether the producer must wait for `onDrained`.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// The state of the channel after the producer published something.
    package struct Receipt {
        /// The number of bytes that are not read yet.
        package var unread: Int
        /// Whether the producer must wait for `onDrained`.
        package var isPaused: Bool
    }

    /// Adds what was received to the channel and resumes a waiting reader.
    ///
    /// - Parameter bytes: the next chunk of the body, if it is not empty.
    /// - Returns: `nil` if the response is over.
    @discardableResult
    package func publish(
        hasHead: Bool = false, bytes: Data = Data(), end: Result<Void, any Error>? = nil
    ) -> Receipt? {
        let (receipt, waiter, answer) = state.withLock { state -> (Receipt?, Waiter?, Result<Data?, any Error>?) in
            guard !state.isOver else { return (nil, nil, nil) }
            if hasHead { state.hasHead = true }
            if !bytes.isEmpty { state.unread.append(bytes) }
            state.unreadCount += bytes.count
            if let end { state.end = end }
            var answer: Result<Data?, any Error>?
            if state.waiter != nil { answer = state.isHeadAwaited ? state.takeHeadAnswer() : state.takeBodyAnswer() }
            let waiter = answer == nil ? nil : state.waiter.take()
            return (Receipt(unread: state.unreadCount, isPaused: state.isPaused), waiter, answer)
        }
        if let answer { waiter?.resume(with: answer) }
        return receipt
    }

    /// Pauses the producer if more than `allowed` bytes are unread.
    ///
    /// - Returns: whether the producer must stop receiving until the reader calls `onDrained`. Both sides decide under
    ///   the same lock, so the producer cannot miss that call.
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

    fileprivate mutating func takeChunk() -> Data? {
        guard !unread.isEmpty else { return nil }
        unreadCount -= unread[0].count
        return unread.removeFirst()
    }

    /// The result for a reader that waits for the head: the body if all of it has arrived in at most one chunk, else
    /// `nil`. An end that comes before the head is the result itself.
    fileprivate mutating func takeHeadAnswer() -> Result<Data?, any Error>? {
        guard hasHead else { return end.map { $0.map { nil } } }
        guard case .success = end, unread.count <= 1 else { return .success(nil) }
        return .success(takeChunk() ?? Data())
    }

    fileprivate mutating func takeBodyAnswer() -> Result<Data?, any Error>? {
        if let chunk = takeChunk() {
            if unread.isEmpty { isPaused = false }
            return .success(chunk)
        }
        return end.map { $0.map { nil } }
    }
}
