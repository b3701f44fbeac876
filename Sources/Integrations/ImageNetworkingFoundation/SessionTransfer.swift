internal import Foundation
internal import HTTPTypes
internal import ImageCore

/// One fetch, seen from both sides: the task that reads it, and the session's delegate that fills it.
final class SessionTransfer: Sendable {
    struct Head: Sendable {
        var url: URL
        var response: HTTPResponse
    }

    private struct State {
        var head: Head?
        var received = 0
        var expected: Int?
        var redirects = 0
        var task: SessionTask?
        /// Whether the session waits for an answer of its delegate. On Linux, cancelling the task meanwhile is fatal.
        var isDeciding = false
        var isOver = false
        var onEnd: (@Sendable () -> Void)?
    }

    /// The request's URL, as errors name it.
    let source: String
    let url: URL
    private let isHead: Bool
    private let limit: Int
    private let window: Int
    private let channel = BodyChannel()
    private let state = Lock(State())

    init(source: String, url: URL, isHead: Bool, limit: Int, window: Int) {
        self.source = source
        self.url = url
        self.isHead = isHead
        self.limit = limit
        self.window = window
    }

    // MARK: The reader's side

    /// Runs `begin` and waits for the head of the final response. The body comes along when all of it is here.
    func start(_ begin: () -> Void) async throws -> (Head, body: Data?) {
        let body = try await channel.waitForHead(begin) { cancel() }
        guard let head = state.withLock({ $0.head }) else {
            throw ImageError(.badResponse, message: "The server returned a malformed HTTP response to \(source).")
        }
        return (head, body)
    }

    /// Called once, when the transfer is over in whatever way.
    func onEnd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = body } }

    /// The next chunk, once there is one; `nil` at the end.
    func next() async throws -> Data? {
        try await channel.next {
            state.withLock { $0.task }?.goOn()
        } onCancel: {
            cancel()
        }
    }

    /// Gives the transfer up: whoever waits is told now.
    func cancel() {
        if channel.cancel() { close(breakingOff: true) }
    }

    // MARK: The session's side

    /// Takes the session's task, to stop it later; `false` when the transfer is over already.
    func attach(_ task: SessionTask) -> Bool {
        state.withLock { state in
            if !state.isOver { state.task = task }
            return !state.isOver
        }
    }

    /// Runs `decide`, which answers the session, with nobody cancelling the task in between; not at all when the transfer is
    /// over, since the session does not wait for an answer any more.
    func whileUndecided(_ decide: () -> Void) {
        let isWanted = state.withLock { state in
            state.isDeciding = !state.isOver
            return state.isDeciding
        }
        guard isWanted else { return }
        decide()
        let unwanted = state.withLock { state -> SessionTask? in
            state.isDeciding = false
            guard state.isOver else { return nil }
            defer { state.task = nil }
            return state.task
        }
        unwanted?.cancel()
    }

    /// Ends the transfer with an error of this side.
    func fail(_ error: ImageError) {
        if channel.publish(end: .failure(error)) != nil { close(breakingOff: true) }
    }

    /// Takes the head.
    func receive(_ head: Head) {
        // The answers to a HEAD, and those that nothing changed, tell the length of what they do not bring.
        let hasBody = !isHead && ![204, 304].contains(head.response.status.code)
        let announced = hasBody ? head.response.headerFields[.contentLength] : nil
        let length = announced.flatMap(ContentLength.bytes)
        if announced != nil, length == nil { return fail(.badLength(source)) }
        if let length, length > limit { return fail(.tooLarge(source, announced: length, limit: limit)) }
        state.withLock { state in
            state.head = head
            state.expected = head.response.headerFields[.contentEncoding] != nil ? nil : length
        }
        channel.publish(hasHead: true)
    }

    func receive(_ chunk: Data) {
        guard !chunk.isEmpty else { return }
        let isAllowed = state.withLock { state in
            guard chunk.count <= limit - state.received else { return false }
            state.received += chunk.count
            return true
        }
        guard isAllowed else { return fail(.tooLarge(source, announced: nil, limit: limit)) }
        guard let receipt = channel.publish(chunks: ChunkList(chunk)), receipt.unread > window, !receipt.isPaused,
            channel.pauses(above: window), let task = state.withLock({ $0.task })
        else { return }
        task.pause()
        // The reader may have had its say before the task was paused.
        if !channel.isPaused { task.goOn() }
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
                    message: "The connection was lost before the response to \(source) was complete (\(received) bytes)."))
        } else if channel.publish(end: .success(())) != nil {
            close(breakingOff: false)
        }
    }

    /// Lets go of the session's task, and stops it unless it ended by itself.
    private func close(breakingOff: Bool) {
        let (task, onEnd) = state.withLock { state in
            state.isOver = true
            defer {
                state.onEnd = nil
                // What waits for the delegate is stopped when that has answered.
                if !state.isDeciding { state.task = nil }
            }
            return (state.isDeciding ? nil : state.task, state.onEnd)
        }
        if breakingOff { task?.cancel() }
        onEnd?()
    }
}
