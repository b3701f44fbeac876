/// Hands a response from the callbacks that receive it to the task that reads it, with back-pressure: the common part of
/// network layers that are made of callbacks. The layer keeps the head itself; the channel only announces it.
///
/// Each side takes the lock for a moment and resumes the other outside it. At most one reader waits at a time.
package struct BodyChannel: ~Copyable, Sendable {
    typealias Waiter = CheckedContinuation<BodyChunk?, any Error>

    // Not private: modules that store a channel need its layout.
    struct State {
        var isCancelled = false
        var hasHead = false
        var unread = ChunkList()
        var end: Result<Void, any Error>?
        /// The producer stopped receiving because too much was unread; the reader must call `onDrained` after reading.
        var isPaused = false
        var waiter: Waiter?
        /// Whether the waiter waits for the head, and not for the next chunk.
        var isHeadAwaited = false
    }

    private let state = Lock(State())

    package init() {}

    // MARK: The reader's side

    /// Runs `begin`, which starts the transfer, and returns when the head is here. A transfer that has ended is not started.
    ///
    /// - Returns: the body if all of it is here already, or `nil`: then it is to be read.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, after `onCancel`; and the end, when it comes first.
    package func waitForHead(_ begin: () -> Void, onCancel: @Sendable () -> Void) async throws -> Data? {
        let body = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                enum Answer {
                    case wait, cancelled, end(Result<BodyChunk?, any Error>)
                }
                let answer = state.withLock { state -> Answer in
                    if state.isCancelled { return .cancelled }
                    // For example, the timeout was over before the reader came.
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

    /// Waits for the next chunk; `nil` at the end. `onDrained` is called when a producer paused and everything was read.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, after `onCancel`; and the error that ended the body.
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
                        // The producer resumes when nothing is left to read, not for every chunk.
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
                    let message = "A body has one reader; a second one asked for bytes at the same time."
                    waiter.resume(with: .failure(ImageError(.invalidRequest, message: message)))
                }
            }
        } onCancel: {
            onCancel()
        }
        synchronizeWithProducer()
        return chunk?.data
    }

    /// Tells the thread sanitizer that the producer's work happened before the reader's. Swift does not report that to it when
    /// a continuation is resumed before its task waits.
    private func synchronizeWithProducer() {
        #if THREAD_SANITIZER
            state.withLock { _ in }
        #endif
    }

    /// Cancels the response and resumes a waiting reader. Returns whether the producer must be notified.
    package func cancel() -> Bool {
        let (waiter, isLate) = state.withLock { state in
            let isLate = state.isOver
            state.isCancelled = true
            state.unread = ChunkList()
            defer { state.waiter = nil }
            return (state.waiter, isLate)
        }
        waiter?.resume(throwing: CancellationError())
        return !isLate
    }

    // MARK: The producer's side

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether it was cancelled or has ended.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether the producer waits for `onDrained`.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// The state after the producer handed something over.
    package struct Receipt {
        /// Bytes that are not read yet.
        package var unread: Int
        /// Whether the producer must wait for `onDrained`.
        package var isPaused: Bool
    }

    /// A reader to resume, once and outside of every lock.
    package struct Wake: Sendable {
        fileprivate let waiter: Waiter
        fileprivate let answer: Result<BodyChunk?, any Error>

        package consuming func wakeUp() { waiter.resume(with: answer) }
    }

    /// Hands over what was received, and wakes the reader; `nil` after the end.
    @discardableResult
    package func publish(
        hasHead: Bool = false, chunks: ChunkList = ChunkList(), end: Result<Void, any Error>? = nil
    ) -> Receipt? {
        var chunks = chunks
        let (receipt, wake) = handOver(hasHead: hasHead, chunks: &chunks, end: end)
        wake?.wakeUp()
        return receipt
    }

    /// The same, but the caller wakes the reader. `chunks` is empty afterwards.
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

    /// Whether the producer must stop receiving while more than `allowed` bytes are unread. After `true` the reader calls
    /// `onDrained` when it has read everything; both decide under the same lock, so neither can miss the other.
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

    /// A head that arrives with the end came first, and so may the body; an end alone is the reason why there is no head.
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

extension ImageError {
    /// The error for a response without a usable length; `source` as errors name it.
    package static func badLength(_ source: String) -> ImageError {
        ImageError(.badResponse, message: "The response to \(source) has an invalid Content-Length.")
    }

    /// The error for a response that has, or announces, more bytes than the limit; `source` as errors name it.
    package static func tooLarge(_ source: String, announced: Int?, limit: Int) -> ImageError {
        let found = announced.map { "has \($0) bytes; the limit is \(limit) bytes" } ?? "exceeds the limit of \(limit) bytes"
        return ImageError(
            .tooLarge, message: "The response to \(source) \(found). Raise maximumResponseBytes to load it.")
    }
}
