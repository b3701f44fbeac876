/// Hands a response from the callbacks that receive it to the task that reads it, with back-pressure: the part that network
/// layers made of callbacks have in common. The head itself is the layer's own to keep; here it is only announced.
///
/// Each side takes the lock for a moment and resumes the other outside it. At most one reader waits at a time. What a side
/// has to tell the layer beyond that, it is told by the closures that it passes.
package struct BodyChannel: ~Copyable, Sendable {
    /// A reader that waits. Its continuation is unchecked because a checked one costs as much as the rest of a hand-over:
    /// whoever takes the waiter out of the state, under the lock, resumes it.
    @safe struct Waiter {
        private let continuation: UnsafeContinuation<BodyChunk?, any Error>

        init(_ continuation: UnsafeContinuation<BodyChunk?, any Error>) { unsafe self.continuation = unsafe continuation }

        func resume(with answer: Result<BodyChunk?, any Error>) { unsafe continuation.resume(with: answer) }
        func cancel() { resume(with: .failure(CancellationError())) }
    }

    // Not private to this file: the modules that hold a channel lay it out, and the compiler then looks for this type.
    struct State {
        var isCancelled = false
        var hasHead = false
        var unread = ChunkList()
        var end: Result<Void, any Error>?
        /// The producer refused bytes because nobody read; the reader owes it a word when it has read.
        var isPaused = false
        var waiter: Waiter?
        /// Whether the waiter waits for the head, and not for the next chunk.
        var isHeadAwaited = false
    }

    private let state = Lock(State())

    package init() {}

    // MARK: The reader's side

    /// Runs `begin`, which starts the transfer, and returns when the head is there: the body, where all of it came along, else
    /// `nil`, and it is to be read. What is over by then does not begin.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, after `onCancel`; and the end, when it comes first.
    package func waitForHead(_ begin: () -> Void, onCancel: @Sendable () -> Void) async throws -> Data? {
        let body = try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                let waiter = unsafe Waiter(continuation)
                enum Answer {
                    case wait, cancelled, end(Result<BodyChunk?, any Error>)
                }
                let answer = state.withLock { state -> Answer in
                    if state.isCancelled { return .cancelled }
                    // Such as a time limit that was over before anybody came to wait.
                    if state.end != nil, let answer = state.takeHeadAnswer() { return .end(answer) }
                    (state.waiter, state.isHeadAwaited) = (waiter, true)
                    return .wait
                }
                switch answer {
                case .wait: begin()
                case .cancelled: waiter.cancel()
                case .end(let answer): waiter.resume(with: answer)
                }
            }
        } onCancel: {
            onCancel()
        }
        seesProducer()
        return body?.data
    }

    /// The next chunk, once there is one; `nil` at the end. `onDrained` tells a producer that paused that all was read.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, after `onCancel`; and the error that ended the body.
    package func next(onDrained: () -> Void, onCancel: @Sendable () -> Void) async throws -> Data? {
        let chunk = try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                let waiter = unsafe Waiter(continuation)
                enum Answer {
                    case chunk(BodyChunk), end(Result<Void, any Error>), wait, misuse
                }
                let (answer, owesWord) = state.withLock { state -> (Answer, Bool) in
                    if state.isCancelled { return (.end(.failure(CancellationError())), false) }
                    guard state.waiter == nil else { return (.misuse, false) }
                    if let chunk = state.unread.removeFirst() {
                        // Room for one chunk is no reason to go on: the producer is asked when there is nothing left.
                        guard state.unread.isEmpty else { return (.chunk(chunk), false) }
                        defer { state.isPaused = false }
                        return (.chunk(chunk), state.isPaused)
                    }
                    if let end = state.end { return (.end(end), false) }
                    (state.waiter, state.isHeadAwaited) = (waiter, false)
                    return (.wait, false)
                }
                if owesWord { onDrained() }
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
        seesProducer()
        return chunk?.data
    }

    /// Tells the thread sanitizer that what the producer did before it handed over comes before what its reader does now. A
    /// continuation that is resumed before its task waits for it is one that Swift does not tell it of.
    private func seesProducer() {
        #if THREAD_SANITIZER
            state.withLock { _ in }
        #endif
    }

    /// Gives the response up: whoever waits is told now. Returns whether the producer still has to be told.
    package func cancel() -> Bool {
        let (waiter, isLate) = state.withLock { state in
            let isLate = state.isOver
            state.isCancelled = true
            state.unread = ChunkList()
            defer { state.waiter = nil }
            return (state.waiter, isLate)
        }
        waiter?.cancel()
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

    /// A reader that has what it waited for. It sleeps until it is woken, once; outside of every lock.
    package struct Wake: Sendable {
        fileprivate let waiter: Waiter
        fileprivate let answer: Result<BodyChunk?, any Error>

        package consuming func wakeUp() { waiter.resume(with: answer) }
    }

    /// Hands over what came in, and wakes the reader; `nil` when nothing more is taken.
    @discardableResult
    package func publish(
        hasHead: Bool = false, chunks: ChunkList = ChunkList(), end: Result<Void, any Error>? = nil
    ) -> Receipt? {
        var chunks = chunks
        let (receipt, wake) = handOver(hasHead: hasHead, chunks: &chunks, end: end)
        wake?.wakeUp()
        return receipt
    }

    /// The same, but for the reader's wake, which is left to the caller. `chunks` is empty afterwards.
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

    /// Whether the producer must stop taking bytes while more than `allowed` are unread. A `true` obliges the reader to call
    /// `onDrained` when it has read, which it decides under the same lock, so the two cannot miss each other.
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

    /// A head that comes with the end was there first, and so may the body be; an end alone says why there is no head.
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
