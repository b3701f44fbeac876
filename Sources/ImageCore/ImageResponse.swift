/// A loaded image, where it came from, and what that took.
public struct ImageResponse: Sendable {
    public var image: DecodedImage
    /// The tier that had it.
    public var tier: CacheTier
    /// What the load took. All times of a memory cache hit are zero.
    public var metrics: LoadMetrics

    public init(image: DecodedImage, tier: CacheTier, metrics: LoadMetrics = LoadMetrics()) {
        self.image = image
        self.tier = tier
        self.metrics = metrics
    }
}

/// Where a load found its image.
public enum CacheTier: String, Hashable, Sendable, CaseIterable {
    /// The memory cache: decoded and processed already.
    case memory
    /// The data cache: decoded from stored bytes.
    case disk
    /// The source itself. Local files and bytes in memory count here too.
    case network
}

/// What one load took. The times of stages are spent working; a stage that did not run took zero.
public struct LoadMetrics: Hashable, Sendable {
    /// Bytes of the encoded picture.
    public var byteCount = 0
    /// Whether another load had already started the work.
    public var isCoalesced = false
    /// Attempts of the fetch after the first.
    public var retries = 0
    /// From the start of the load to its end, waiting included.
    public var total: Duration = .zero
    /// Waiting in the queues of the network and of the worker threads.
    public var waiting: Duration = .zero
    /// Looking the processed image up in the data cache.
    public var processedCache: Duration = .zero
    /// Looking the original bytes up in the data cache.
    public var originalCache: Duration = .zero
    /// Fetching the bytes.
    public var network: Duration = .zero
    public var decode: Duration = .zero
    /// All processors together.
    public var process: Duration = .zero

    public init() {}
}

/// How much of a body has arrived.
public struct LoadProgress: Hashable, Sendable {
    /// Bytes.
    public var received: Int
    /// Bytes; `nil` when the server does not say.
    public var expected: Int?

    public init(received: Int, expected: Int?) {
        self.received = received
        self.expected = expected
    }

    /// From 0 to 1; `nil` when the end is unknown.
    public var fraction: Double? {
        guard let expected, expected > 0 else { return nil }
        return min(1, Double(received) / Double(expected))
    }
}
