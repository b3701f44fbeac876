internal import HTTPTypes
internal import ImageCore

/// One fetch, seen from both sides: the task that reads it, and the loop's thread that fills it.
final class Transfer: Sendable {
    /// What the loop found out when the head was whole.
    struct Head: Sendable {
        let response: HTTPResponse
        /// The final URL, where it is not the one asked for.
        let redirectedTo: String?
        let timing: TransferTiming
    }

    let url: URL
    /// For all hops together.
    let timeout: Duration
    let priority: LoadPriority
    /// The largest body, in bytes.
    let limit: Int
    private let channel = BodyChannel()
    // because the loop sets it before it hands over, and the reader takes it afterwards; between them lies the channel's lock
    nonisolated(unsafe) private var head: Head?

    // The loop's own, from the start on: it runs on one thread at a time, and no use of one of them can reach another.

    /// Where it is on its way.
    @exclusivity(unchecked) nonisolated(unsafe) var hop: Hop  // because only the loop uses it
    /// When its first hop started.
    @exclusivity(unchecked) nonisolated(unsafe) var started: ContinuousClock.Instant?  // because only the loop uses it
    /// What runs for it at the moment.
    @exclusivity(unchecked) nonisolated(unsafe) var exchange: Exchange?  // because only the loop uses it

    init(_ url: URL, timeout: Duration, priority: LoadPriority, hop: consuming Hop, limit: Int) {
        self.url = url
        self.timeout = timeout
        self.priority = priority
        unsafe self.hop = hop
        self.limit = limit
    }

    // MARK: The reader's side. It keeps the mailbox: references to one object from many threads cost each of them.

    /// Starts the transfer and waits for the head of its final response. The body comes along when all of it is here.
    @inline(__always)
    func start(by mailbox: Mailbox) async throws -> (Head, body: Data?) {
        let body = try await channel.waitForHead {
            if let refusal = mailbox.post(.start, self) { fail(refusal) }
        } onCancel: {
            cancel(by: mailbox)
        }
        guard let head = unsafe head.take() else {
            throw ImageError(.badResponse, message: "\(source) was answered without a head.")
        }
        return (head, body)
    }

    /// The next chunk, once there is one; `nil` at the end.
    func next(by mailbox: Mailbox) async throws -> Data? {
        try await channel.next {
            _ = mailbox.post(.resume, self)
        } onCancel: {
            cancel(by: mailbox)
        }
    }

    /// Gives the transfer up: whoever waits is told now, the loop closes what is open when it gets there.
    func cancel(by mailbox: Mailbox) {
        if channel.cancel() { _ = mailbox.post(.cancel, self) }
    }

    /// The URL asked for, as errors name it.
    var source: String { ImageSource.redacted(url) }

    // MARK: The loop's side

    var isCancelled: Bool { channel.isCancelled }

    /// Ends it, and wakes the reader.
    func fail(_ error: any Error) { channel.publish(end: .failure(error)) }

    /// Ends it. Returns the reader, if it is to be woken.
    func end(_ error: any Error) -> BodyChannel.Wake? {
        var none = ChunkList()
        return channel.handOver(hasHead: false, chunks: &none, end: .failure(error)).wake
    }

    /// Hands over what came in. Returns how many bytes are still unread, whether the loop has to wait for a `resume`, and
    /// the reader, if it is to be woken.
    func handOver(
        head: consuming Head?, chunks: inout ChunkList, end: Result<Void, any Error>?
    ) -> (unread: Int, isPaused: Bool, wake: BodyChannel.Wake?) {
        let hasHead = head != nil
        if hasHead { unsafe self.head = consume head }
        let (receipt, wake) = channel.handOver(hasHead: hasHead, chunks: &chunks, end: end)
        return (receipt?.unread ?? 0, receipt?.isPaused ?? true, wake)
    }

    /// Whether the loop must stop taking bytes while more than `allowed` are unread; then the reader posts a `resume`.
    func pauses(above allowed: Int) -> Bool { channel.pauses(above: allowed) }
}

extension Transfer: Hashable {
    static func == (a: Transfer, b: Transfer) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
