internal import HTTPTypes
internal import ImageCore

/// One fetch, redirects included, seen from both sides: the task that reads it, and the loop's thread that fills it.
final class Fetch: Sendable {
    /// The start of the final response.
    struct Head: Sendable {
        let response: HTTPResponse
        /// The final URL after redirects; `nil` when there was none.
        let redirectedTo: String?
        /// The responses that redirected, in order.
        let redirects: [HTTPResponse]
        let timing: TransferTiming
    }

    let url: URL
    /// The longest time without progress.
    let timeout: Duration
    /// Moves where loads join the fetch.
    private let deadline: Deadline?
    /// The largest body, in bytes.
    let limit: Int
    private let channel = BodyChannel()
    // because the loop sets it before it hands over, and the reader takes it afterwards; between them lies the
    // channel's lock
    nonisolated(unsafe) private var head: Head?

    // State of the loop.

    /// The request of the chain of redirects that is next or runs.
    nonisolated(unsafe) var hop: Hop  // because only the loop's thread uses it
    /// The transfer that runs for it.
    nonisolated(unsafe) var transfer: CurlTransfer?  // because only the loop's thread uses it
    /// When the fetch last made progress: it came to the loop, began or went on, or bytes moved.
    nonisolated(unsafe) var lastProgress: ContinuousClock.Instant  // because only the loop's thread uses it

    /// - Parameter now: when the attempt starts.
    init(
        _ url: URL, timeout: Duration, deadline: Deadline? = nil, hop: Hop, limit: Int, now: ContinuousClock.Instant = .now
    ) {
        self.url = url
        self.timeout = timeout.clampedToClockRange
        self.deadline = deadline
        unsafe lastProgress = now
        unsafe self.hop = hop
        self.limit = limit
    }

    // MARK: The reader's side. The reader holds the mailbox, so that a fetch needs no reference to it.

    /// Starts the fetch and waits for the headers of its final response.
    ///
    /// - Returns: the response headers, and the body if all of it is here already.
    func start(by mailbox: Mailbox) async throws -> (Head, body: Data?) {
        let body = try await channel.waitForHead {
            if let error = mailbox.post(.start, self) { fail(error) }
        } onCancel: {
            cancel(by: mailbox)
        }
        guard let head = unsafe head.take() else {
            throw ImageError(.badResponse, message: "The response to \(source) ended before its headers were complete.")
        }
        return (head, body)
    }

    /// Waits for the next chunk; `nil` at the end.
    func next(by mailbox: Mailbox) async throws -> Data? {
        try await channel.next {
            _ = mailbox.post(.resume, self)
        } onCancel: {
            cancel(by: mailbox)
        }
    }

    /// Cancels the fetch. A waiting reader is resumed at once; the loop closes the transfer when it gets the message.
    func cancel(by mailbox: Mailbox) {
        if channel.cancel() { _ = mailbox.post(.cancel, self) }
    }

    /// The requested URL, as errors name it.
    var source: String { ImageSource.redacted(url) }

    // MARK: The loop's side

    /// When a time limit ends the fetch if it makes no progress: the timeout or the deadline.
    func expiry(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let silenceEnd = unsafe lastProgress + timeout
        guard let deadline else { return silenceEnd }
        return min(silenceEnd, now + deadline.remaining.clampedToClockRange)
    }

    /// The error for a fetch that a time limit ended.
    func timeLimitError(host: String, causes: [String] = []) -> ImageError {
        if let deadline, deadline.remaining <= .zero { return .deadlineExceeded(by: url, deadline, causes: causes) }
        return .timedOut(url, host: host, timeout: timeout, causes: causes)
    }

    var isCancelled: Bool { channel.isCancelled }

    /// Ends the fetch and wakes the reader.
    func fail(_ error: any Error) { channel.publish(end: .failure(error)) }

    /// Hands over what was received, and wakes a waiting reader. Returns `nil` if the fetch is over.
    func publish(head: Head?, bytes: Data, end: Result<Void, any Error>?) -> BodyChannel.Receipt? {
        if head != nil { unsafe self.head = head }
        return channel.publish(hasHead: head != nil, bytes: bytes, end: end)
    }

    /// Whether the loop must stop receiving while more than `allowed` bytes are unread; then the reader posts a
    /// `resume`.
    func pauses(above allowed: Int) -> Bool { channel.pauses(above: allowed) }
}
