internal import ImageCore

/// One fetch, seen from both sides: the task that reads it, and the loop's thread that fills it.
final class Transfer: Sendable {
    /// What the loop found out when the head was whole.
    struct Head: Sendable {
        var head: ResponseHead
        /// The final URL, where it is not the one asked for.
        var redirectedTo: String?
        var timing: TransferTiming
    }

    let request: DataRequest
    let firstHop: Hop
    /// The largest body, in bytes.
    let limit: Int
    private let mailbox: Mailbox
    private let channel = BodyChannel()
    private let head = Lock<Head?>(nil)

    init(_ request: DataRequest, hop: Hop, limit: Int, mailbox: Mailbox) {
        self.request = request
        firstHop = hop
        self.limit = limit
        self.mailbox = mailbox
    }

    // MARK: The reader's side

    /// Starts the transfer and waits for the head of its final response. The body comes along when all of it is here.
    func start() async throws -> (Head, body: Data?) {
        let body = try await channel.waitForHead {
            if let refusal = mailbox.post(.start(self)) { publish(end: .failure(refusal)) }
        } onCancel: {
            cancel()
        }
        guard let head = head.withLock({ $0.take() }) else {
            throw ImageError(.badResponse, message: "\(ImageSource.redacted(request.url)) was answered without a head.")
        }
        return (head, body)
    }

    /// The next chunk, once there is one; `nil` at the end.
    func next() async throws -> Data? {
        try await channel.next {
            _ = mailbox.post(.resume(self))
        } onCancel: {
            cancel()
        }
    }

    /// Gives the transfer up: whoever waits is told now, the loop closes what is open when it gets there.
    func cancel() {
        if channel.cancel() { _ = mailbox.post(.cancel(self)) }
    }

    // MARK: The loop's side

    var isCancelled: Bool { channel.isCancelled }

    /// Hands over what came in, and wakes the reader. Returns how many bytes are still unread, and whether the loop has
    /// to wait for a `resume`.
    @discardableResult
    func publish(
        head: Head? = nil, chunks: [Data] = [], end: Result<Void, any Error>? = nil
    ) -> (unread: Int, isPaused: Bool) {
        if let head { self.head.withLock { $0 = head } }
        let receipt = channel.publish(hasHead: head != nil, chunks: chunks, end: end)
        return (receipt?.unread ?? 0, receipt?.isPaused ?? true)
    }

    /// Whether the loop must stop taking bytes while more than `allowed` are unread; then the reader posts a `resume`.
    func pauses(above allowed: Int) -> Bool { channel.pauses(above: allowed) }
}

extension Transfer: Hashable {
    static func == (a: Transfer, b: Transfer) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
