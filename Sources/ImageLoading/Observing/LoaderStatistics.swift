public import ImageCore

extension ImageLoader {
    /// What the loader does at this moment, and has done since it was created. Reading it takes a few short locks.
    public var statistics: Statistics { coordinator.statistics }

    /// The numbers of a loader, its queues and its caches, at one moment.
    public struct Statistics: Hashable, Sendable {
        /// Loads, by their results.
        public var loads = Loads()
        /// Encoded bytes that were fetched and saved.
        public var bytes = Bytes()
        /// The queues of work: `network`, `local`, `worker`.
        public var queues: [Queue] = []
        /// The caches that count: the memory cache first, then the data cache's tiers.
        public var caches: [CacheStatistics] = []

        /// All numbers zero.
        public init() {}
    }

    /// Loads by their results. A memory hit that `image(for:)` returns at once starts no load: the cache counts it.
    public struct Loads: Hashable, Sendable {
        /// Loads that have not ended.
        public var active = 0
        /// Loads that ended well.
        public var finished = 0
        /// Loads that ended with an error.
        public var failed = 0
        /// Loads that were cancelled.
        public var cancelled = 0
        /// Finished loads that shared work which had begun for another.
        public var coalesced = 0
        /// Attempts of fetches after the first.
        public var retries = 0

        /// All numbers zero.
        public init() {}
    }

    /// Bytes of encoded images.
    public struct Bytes: Hashable, Sendable {
        /// Fetched over the network; bodies that arrived whole.
        public var fetched = 0
        /// Not fetched, because the data cache had them.
        public var savedByCache = 0
        /// Not fetched, because another load fetched them at the same time.
        public var savedByCoalescing = 0

        /// All numbers zero.
        public init() {}
    }

    /// Steps of work that wait for one kind of resource.
    public struct Queue: Hashable, Sendable {
        /// `network`, `local` or `worker`.
        public let name: String
        /// Steps that wait for a free slot.
        public var waiting: Int
        /// Steps that run.
        public var running: Int
        /// How many may run at a time; `nil` for any number.
        public var limit: Int?
    }
}

/// Counts a loader's loads by their results.
struct LoadCounts: Sendable {
    var loads = ImageLoader.Loads()
    var bytes = ImageLoader.Bytes()

    /// A load ended.
    mutating func add(_ result: Result<LoadOutput, LoadFailure>) {
        switch result {
        case .failure(.cancelled): loads.cancelled += 1
        case .failure(.failed): loads.failed += 1
        case .success(let output):
            loads.finished += 1
            let metrics = output.metrics
            if metrics.isCoalesced { loads.coalesced += 1 }
            switch output.tier {
            case .memory, .local: break
            case .disk: bytes.savedByCache += metrics.byteCount
            case .network: if metrics.isCoalesced { bytes.savedByCoalescing += metrics.byteCount }
            }
        }
    }

    /// A body has arrived over the network.
    mutating func add(fetch metrics: LoadMetrics) {
        bytes.fetched += metrics.byteCount
        loads.retries += metrics.retries
    }
}
