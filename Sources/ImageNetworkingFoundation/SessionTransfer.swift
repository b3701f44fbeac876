internal import Foundation
internal import HTTPTypes
internal import ImageCore

/// One fetch, seen from both sides: the task that reads it, and the session's delegate that fills it.
///
/// Each side takes the lock for a moment and resumes the other outside it. At most one reader waits at a time.
final class SessionTransfer: Sendable {
    struct Head: Sendable {
        var url: URL
        var response: HTTPResponse
    }

    fileprivate struct State {
        var isCancelled = false
        var head: Head?
        var unread: [Data] = []
        var unreadCount = 0
        var received = 0
        var expected: Int?
        var redirects = 0
        var isPaused = false
        var end: Result<Void, any Error>?
        var task: SessionTask?
        /// Whether the session waits for an answer of its delegate. On Linux, cancelling the task meanwhile is fatal.
        var isDeciding = false
        var onEnd: (@Sendable () -> Void)?
        var headWaiter: CheckedContinuation<Head, any Error>?
        var bodyWaiter: CheckedContinuation<Data?, any Error>?
    }

    /// The request's URL, as errors name it.
    let source: String
    let url: URL
    private let isHead: Bool
    private let limit: Int
    private let window: Int
    private let state = Lock(State())

    init(source: String, url: URL, isHead: Bool, limit: Int, window: Int) {
        self.source = source
        self.url = url
        self.isHead = isHead
        self.limit = limit
        self.window = window
    }

    // MARK: The reader's side

    /// Runs `begin` and waits for the head of the final response.
    func start(_ begin: () -> Void) async throws -> Head {
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
            cancel()
        }
    }

    /// Called once, when the transfer is over in whatever way.
    func onEnd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = body } }

    /// The next chunk, once there is one; `nil` at the end.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Answer {
                    case data(Data, goesOn: SessionTask?), end(Result<Void, any Error>), wait, misuse
                }
                let answer = state.withLock { state -> Answer in
                    if state.isCancelled { return .end(.failure(CancellationError())) }
                    guard state.bodyWaiter == nil else { return .misuse }
                    if let (chunk, task) = state.takeChunk() { return .data(chunk, goesOn: task) }
                    if let end = state.end { return .end(end) }
                    state.bodyWaiter = continuation
                    return .wait
                }
                switch answer {
                case .wait: break
                case .data(let chunk, let task):
                    task?.goOn()
                    continuation.resume(returning: chunk)
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

    /// Gives the transfer up: whoever waits is told now.
    func cancel() { finish(.failure(CancellationError()), isCancel: true) }

    // MARK: The session's side

    func attach(_ task: SessionTask) {
        let isLate = state.withLock { state in
            state.task = task
            return state.isCancelled || state.end != nil
        }
        if isLate { task.cancel() }
    }

    /// Runs `decide`, which answers the session, with nobody cancelling the task in between; not at all when the transfer is
    /// over, since the session does not wait for an answer any more.
    func whileUndecided(_ decide: () -> Void) {
        let isWanted = state.withLock { state in
            state.isDeciding = state.end == nil && !state.isCancelled
            return state.isDeciding
        }
        guard isWanted else { return }
        decide()
        let unwanted = state.withLock { state -> SessionTask? in
            state.isDeciding = false
            guard state.end != nil || state.isCancelled else { return nil }
            defer { state.task = nil }
            return state.task
        }
        unwanted?.cancel()
    }

    /// Ends the transfer with an error of this side.
    func fail(_ error: ImageError) { finish(.failure(error), isCancel: false) }

    /// Takes the head.
    func receive(_ head: Head) {
        let length = head.response.headerFields[.contentLength].flatMap { Int($0) }
        if let length, length > limit, !isHead, head.response.status.code != 304 {
            fail(
                ImageError(
                    .tooLarge,
                    message:
                        "The response to \(source) is \(length) bytes long by its Content-Length, and at most \(limit) bytes are accepted."
                ))
            return
        }
        let waiter = state.withLock { state in
            state.head = head
            state.expected = isHead || head.response.headerFields[.contentEncoding] != nil ? nil : length
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: head)
    }

    func receive(_ chunk: Data) {
        enum Answer {
            case tooLarge, kept(pause: SessionTask?), wake(CheckedContinuation<Data?, any Error>)
        }
        guard !chunk.isEmpty else { return }
        let answer = state.withLock { state -> Answer in
            guard !state.isCancelled, state.end == nil else { return .kept(pause: nil) }
            guard chunk.count <= limit - state.received else { return .tooLarge }
            state.received += chunk.count
            if let waiter = state.bodyWaiter {
                state.bodyWaiter = nil
                return .wake(waiter)
            }
            state.unread.append(chunk)
            state.unreadCount += chunk.count
            guard state.unreadCount > window, !state.isPaused else { return .kept(pause: nil) }
            state.isPaused = true
            return .kept(pause: state.task)
        }
        switch answer {
        case .kept(let task): task?.pause()
        case .wake(let waiter): waiter.resume(returning: chunk)
        case .tooLarge:
            fail(
                ImageError(
                    .tooLarge,
                    message: "The response to \(source) goes on after \(limit) bytes, and at most \(limit) bytes are accepted."))
        }
    }

    /// Counts a redirect; how many there were.
    func redirected() -> Int {
        state.withLock { state in
            state.redirects += 1
            return state.redirects
        }
    }

    /// The session has no more to say.
    func complete(_ error: ImageError?) {
        let (isShort, received) = state.withLock { state in
            (state.expected.map { state.received < $0 } ?? false, state.received)
        }
        if let error {
            fail(error)
        } else if isShort {
            fail(
                ImageError(
                    .connectionLost,
                    message: "The connection ended before the response to \(source) was whole (\(received) bytes)."))
        } else {
            finish(.success(()), isCancel: false)
        }
    }

    private func finish(_ end: Result<Void, any Error>, isCancel: Bool) {
        struct Wake {
            var head: CheckedContinuation<Head, any Error>?
            var body: CheckedContinuation<Data?, any Error>?
            var task: SessionTask?
            var onEnd: (@Sendable () -> Void)?
        }
        let wake = state.withLock { state -> Wake in
            guard !state.isCancelled, state.end == nil || isCancel else { return Wake() }
            if isCancel {
                state.isCancelled = true
                (state.unread, state.unreadCount) = ([], 0)
            }
            let isFirst = state.end == nil
            if isFirst { state.end = end }
            var wake = Wake(head: state.headWaiter, body: state.bodyWaiter, onEnd: state.onEnd)
            (state.headWaiter, state.bodyWaiter, state.onEnd) = (nil, nil, nil)
            guard !state.isDeciding else { return wake }
            if case .failure = end, isFirst { wake.task = state.task }
            state.task = nil
            return wake
        }
        wake.task?.cancel()
        wake.onEnd?()
        if case .failure(let error) = end {
            wake.head?.resume(throwing: error)
        } else {
            wake.head?.resume(
                throwing: ImageError(.badResponse, message: "What was answered to \(source) does not follow HTTP."))
        }
        wake.body?.resume(with: end.map { nil })
    }
}

extension SessionTransfer.State {
    /// The next chunk, and the task that may go on for it.
    fileprivate mutating func takeChunk() -> (Data, SessionTask?)? {
        guard !unread.isEmpty else { return nil }
        let chunk = unread.removeFirst()
        unreadCount -= chunk.count
        guard isPaused, unread.isEmpty else { return (chunk, nil) }
        isPaused = false
        return (chunk, task)
    }
}
