public import HTTPTypes

/// One request to a network layer.
public struct DataRequest: Sendable {
    public var url: URL
    public var method: HTTPRequest.Method
    public var headerFields: HTTPFields
    public var body: Data?
    /// The time limit of one attempt, from its start to the last byte; 30 s.
    public var timeout: Duration
    /// When the whole load must have ended, with every attempt and every wait; `nil`, the default, sets no deadline. An attempt
    /// ends at its ``timeout`` or at the deadline, whichever comes first.
    public var deadline: Deadline?
    /// What the lookup in the response cache found, for the loader that completes the exchange: set by the engine from
    /// ``ResponseLookup/miss(_:)``. `nil`, the default: the loader looks its cache up itself.
    public var cacheTransaction: (any ResponseTransaction)?
    /// The largest body to accept, in bytes; `nil` leaves the loader's own limit.
    public var maximumBytes: Int?
    public var priority: LoadPriority
    /// Attempts after the first that a retrying loader may make; `nil`, the default, takes the count of its policy.
    public var retries: Int?
    /// Whether networks that cost money may be used.
    public var allowsExpensiveNetwork: Bool
    /// What a loader that keeps responses may do: answer from them, keep this one, never ask the network.
    public var cachePolicy: CachePolicy
    /// What the bytes are wanted for, as the request starts; a load that joins it later does not change it.
    public var purpose: LoadPurpose

    public init(
        url: URL, method: HTTPRequest.Method = .get, headerFields: HTTPFields = HTTPFields(), body: Data? = nil,
        timeout: Duration = .seconds(30), maximumBytes: Int? = nil, priority: LoadPriority = .normal, retries: Int? = nil,
        allowsExpensiveNetwork: Bool = true, cachePolicy: CachePolicy = .memoryAndDisk,
        purpose: LoadPurpose = .plain
    ) {
        self.url = url
        self.method = method
        self.headerFields = headerFields
        self.body = body
        self.timeout = timeout
        self.maximumBytes = maximumBytes
        self.priority = priority
        self.retries = retries
        self.allowsExpensiveNetwork = allowsExpensiveNetwork
        self.cachePolicy = cachePolicy
        self.purpose = purpose
    }
}

extension Duration {
    /// The duration, or thirty years where it is longer: clocks cannot tell instants that are much later, and end the process.
    package var clampedToClockRange: Duration { min(self, .seconds(1_000_000_000)) }
}

/// The answer to a ``DataRequest``: the head at once, the body as it arrives.
public struct DataResponse: Sendable {
    /// The final URL, after redirects.
    public var url: URL
    /// Status and header fields. Sources that are not HTTP answer 200.
    public var head: HTTPResponse
    /// To be read once.
    public var body: ByteStream
    /// Where the bytes of the body come from: the source, or, with a loader that keeps responses, its store.
    public var tier: CacheTier
    /// Attempts that a retrying loader made before this answer came.
    public var retries = 0
    /// Where the time until the head went; `nil` where the network layer does not measure it.
    public var timing: TransferTiming?

    public init(
        url: URL, head: HTTPResponse = HTTPResponse(status: .ok), body: ByteStream, tier: CacheTier = .network,
        timing: TransferTiming? = nil
    ) {
        self.url = url
        self.head = head
        self.body = body
        self.tier = tier
        self.timing = timing
    }

    /// The length that the head announces, in bytes; `nil` when it does not, or not as a number.
    public var expectedBytes: Int? {
        head.headerFields[.contentLength].flatMap(ContentLength.bytes) ?? body.knownCount
    }
}

/// Where the time of a transfer went until the head of its answer was here. After redirects it tells of the last request.
public struct TransferTiming: Hashable, Sendable {
    /// Finding the host's address.
    public var nameLookup: Duration = .zero
    /// Making the connection, once the address was known.
    public var connect: Duration = .zero
    /// Agreeing on TLS, once connected.
    public var tlsHandshake: Duration = .zero
    /// From the start of the request to the first byte of the answer, all of the above included.
    public var firstByte: Duration = .zero
    /// Whether a connection was there already; then the first three are nothing.
    public var isReused = false

    public init() {}
}

/// A body as a stream of chunks, pulled by its reader: nothing is read ahead of demand beyond the producer's own window.
///
/// For one reader, once. Cancelling the reading task makes the pending read throw `CancellationError`. Dropping the
/// stream unread tells the producer to stop.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data

    fileprivate enum Base: Sendable {
        case data(Data)
        case pull(@Sendable () async throws -> Data?)
    }

    private let base: Base

    /// A body that is at hand, as one chunk; no chunk at all when it is empty.
    public init(_ data: Data) { base = .data(data) }

    /// A body that `next` produces chunk by chunk until it returns `nil` or throws. The closure owns what produces
    /// the bytes: when the stream is dropped the closure is released, and its captures may stop their work in `deinit`.
    public init(_ next: @escaping @Sendable () async throws -> Data?) { base = .pull(next) }

    /// The body's length in bytes where it is at hand.
    public var knownCount: Int? {
        if case .data(let data) = base { data.count } else { nil }
    }

    /// The whole body when it is at hand without waiting.
    public var wholeData: Data? {
        if case .data(let data) = base { data } else { nil }
    }

    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private var base: Base?

        fileprivate init(_ base: Base) { self.base = base }

        public mutating func next() async throws -> Data? {
            switch base {
            case nil: return nil
            case .data(let data):
                base = nil
                return data.isEmpty ? nil : data
            case .pull(let next):
                let chunk = try await next()
                if chunk == nil { base = nil }
                return chunk
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base) }
}
