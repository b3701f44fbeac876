internal import Foundation
internal import HTTPTypes
internal import ImageCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One fetch, shared by the task that reads it and the session's delegate that fills it.
final class SessionTransfer: Sendable {
    struct Head: Codable, Sendable {
        var url: URL
        var response: HTTPResponse
    }

    private struct State {
        var head: Head?
        var received = 0
        var expected: Int?
        var redirects: [HTTPResponse] = []
        var task: URLSessionDataTask?
        /// Whether the session waits for its delegate. On Linux, cancelling the task meanwhile crashes.
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
    /// Its limits end the transfer; it hears of all progress.
    let timer: AttemptTimer
    private let channel = BodyChannel()
    private let state = Lock(State())

    init(url: URL, isHead: Bool, limit: Int, window: Int, timer: AttemptTimer) {
        source = ImageSource.redacted(url)
        (self.url, self.isHead, self.limit, self.window, self.timer) = (url, isHead, limit, window, timer)
    }

    // MARK: The reader's side

    /// Runs `begin` and waits for the headers of the final response. Returns the body too if it is complete already.
    func start(_ begin: () -> Void) async throws -> (Head, body: Data?) {
        let body = try await channel.waitForHead(begin) { cancel() }
        guard let head = state.withLock({ $0.head }) else {
            throw ImageError(.badResponse, message: "The server returned a malformed HTTP response to \(source).")
        }
        return (head, body)
    }

    /// Sets a closure that is called once, when the transfer succeeds, fails or is cancelled.
    func onEnd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = body } }

    /// Waits for the next chunk; `nil` at the end.
    func next() async throws -> Data? {
        try await channel.next {
            unpause()
        } onCancel: {
            cancel()
        }
    }

    /// Cancels the transfer and resumes a waiting reader.
    func cancel() {
        if channel.cancel() { close(cancelling: true) }
    }

    // MARK: The session's side

    /// Stores the session's task, to cancel it later. Returns `false` when the transfer is over already.
    func attach(_ task: URLSessionDataTask) -> Bool {
        state.withLock { state in
            if !state.isOver { state.task = task }
            return !state.isOver
        }
    }

    /// Runs `decide`, which calls the session's completion handler, and delays the cancelling of the task meanwhile.
    /// Does nothing when the transfer is over.
    func whileUndecided(_ decide: () -> Void) {
        let isWanted = state.withLock { state in
            state.isDeciding = !state.isOver
            return state.isDeciding
        }
        guard isWanted else { return }
        decide()
        let unwanted = state.withLock { state -> URLSessionDataTask? in
            state.isDeciding = false
            guard state.isOver else { return nil }
            defer { state.task = nil }
            return state.task
        }
        unwanted?.cancel()
    }

    /// Ends the transfer with an error, and cancels the session's task.
    func fail(_ error: ImageError) {
        if channel.publish(end: .failure(error)) != nil { close(cancelling: true) }
    }

    /// Receives the response headers.
    func receive(_ head: Head) {
        timer.noteProgress()
        var head = head
        // Responses to HEAD, and 304 responses, may announce the length of a body that they do not have.
        let hasBody = !isHead && ![204, 304].contains(head.response.status.code)
        let announced = hasBody ? head.response.headerFields[.contentLength] : nil
        let length = announced.flatMap(ContentLength.bytes)
        if announced != nil, length == nil { return fail(.badLength(source)) }
        // The session decodes the body, unless it is a part, so that its length is unknown.
        let isCoded = hasBody && head.response.status != .partialContent && head.response.headerFields[.contentEncoding] != nil
        if isCoded { for name in [HTTPField.Name.contentEncoding, .contentLength] { head.response.headerFields[name] = nil } }
        if !isCoded, let length, length > limit { return fail(.tooLarge(source, announced: length, limit: limit)) }
        state.withLock { state in
            state.head = head
            state.expected = isCoded ? nil : length
        }
        channel.publish(hasHead: true)
    }

    func receive(_ chunk: Data) {
        guard !chunk.isEmpty else { return }
        timer.noteProgress()
        let isAllowed = state.withLock { state in
            guard chunk.count <= limit - state.received else { return false }
            state.received += chunk.count
            return true
        }
        guard isAllowed else { return fail(.tooLarge(source, announced: nil, limit: limit)) }
        guard let receipt = channel.publish(bytes: chunk), receipt.unread > window, !receipt.isPaused,
            channel.pauses(above: window), let task = state.withLock({ $0.task })
        else { return }
        task.pause(timer)
        // The reader may have drained the channel before the task was paused.
        if !channel.isPaused { unpause() }
    }

    private func unpause() { state.withLock { $0.task }?.unpause(timer) }

    /// The responses that redirected so far, in order.
    var redirects: [HTTPResponse] { state.withLock { $0.redirects } }

    /// Remembers a redirect. Returns the number so far.
    func redirected(by response: HTTPResponse) -> Int {
        timer.noteProgress()
        return state.withLock { state in
            state.redirects.append(response)
            return state.redirects.count
        }
    }

    /// The session has ended the task.
    func complete(_ error: ImageError?) {
        let (isShort, received) = state.withLock { state in
            (state.expected.map { state.received < $0 } ?? false, state.received)
        }
        if let error {
            fail(error)
        } else if isShort {
            fail(.incomplete(source, received: received))
        } else if channel.publish(end: .success(())) != nil {
            close(cancelling: false)
        }
    }

    /// Releases the session's task, and cancels it unless it ended by itself.
    private func close(cancelling: Bool) {
        let (task, onEnd) = state.withLock { state in
            state.isOver = true
            defer {
                state.onEnd = nil
                // A task that waits for its delegate is cancelled afterwards.
                if !state.isDeciding { state.task = nil }
            }
            return (state.isDeciding ? nil : state.task, state.onEnd)
        }
        if cancelling { task?.cancel() }
        onEnd?()
    }
}

extension ImageError {
    /// The error for a response whose body is shorter than announced.
    static func incomplete(_ source: String, received: Int) -> ImageError {
        ImageError(
            .connectionLost,
            message: "The connection was lost before the response to \(source) was complete (\(received) bytes).")
    }
}
