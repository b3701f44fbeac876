public import HTTPTypes

/// A cache of encoded bytes with the head of the response that brought them: a directory, or a remote store.
///
/// Called by the engine from tasks of its own, several at once, on no actor; it must not block its thread for long.
/// Each load asks once; each fetched original is stored once, after it was decoded. A store that follows another in
/// program order is seen by every later read, durable or not; ``flush()`` waits until it is durable.
///
/// **Cancelling**: a read may throw `CancellationError`; a store runs to its end.
///
/// **Errors**: thrown errors count as a miss or a lost write, are reported to observers, and never fail a load.
///
/// **Must not**: return bytes that are not exactly what was stored; a damaged entry is a miss.
///
/// ```swift
/// actor Pocket: DataCaching {
///     private var entries: [DataKey: DataEntry] = [:]
///     func entry(for key: DataKey) -> DataEntry? { entries[key] }
///     func store(_ entry: DataEntry, for key: DataKey) { entries[key] = entry }
///     func removeEntry(for key: DataKey) { entries[key] = nil }
///     func removeAll() { entries = [:] }
/// }
/// ```
public protocol DataCaching: Sendable {
    /// The stored entry, counted as a use; `nil` for a miss.
    func entry(for key: DataKey) async throws -> DataEntry?
    /// Keeps an entry, replacing what the key had.
    func store(_ entry: DataEntry, for key: DataKey) async throws
    /// The stored entry with its body as a stream, counted as a use; `nil` for a miss. What turns out damaged on the way
    /// throws from the stream. By default the same as ``entry(for:)``.
    func stream(for key: DataKey) async throws -> DataEntryStream?
    /// Keeps an entry whose body comes as a stream, replacing what the key had. Reads the stream to its end; what it throws
    /// is rethrown, and then nothing is kept and the key has what it had. By default the body is collected first.
    func store(_ stream: DataEntryStream, for key: DataKey) async throws
    func removeEntry(for key: DataKey) async throws
    func removeAll() async throws
    /// Returns when everything stored so far is durable. Does nothing by default.
    func flush() async throws
    /// What each cache behind this one holds and did; nothing by default. Taken on demand, never on a load's way.
    var cacheStatistics: [CacheStatistics] { get }
}

extension DataCaching {
    public var cacheStatistics: [CacheStatistics] { [] }

    public func flush() async throws {}

    public func stream(for key: DataKey) async throws -> DataEntryStream? {
        try await entry(for: key).map { DataEntryStream(body: ByteStream($0.data), head: $0.head, storedAt: $0.storedAt) }
    }

    public func store(_ stream: DataEntryStream, for key: DataKey) async throws {
        var data = Data()
        for try await chunk in stream.body { data.append(chunk) }
        try await store(DataEntry(data: data, head: stream.head, storedAt: stream.storedAt), for: key)
    }
}

/// A body that is read, or written, piece by piece, and the response head that came with it.
public struct DataEntryStream: Sendable {
    /// To be read once.
    public var body: ByteStream
    public var head: HTTPResponse
    /// Seconds since 1970 when the response arrived.
    public var storedAt: Double

    public init(body: ByteStream, head: HTTPResponse = HTTPResponse(status: .ok), storedAt: Double) {
        self.body = body
        self.head = head
        self.storedAt = storedAt
    }
}

/// Bytes in a data cache and the response head that came with them.
public struct DataEntry: Sendable {
    public var data: Data
    public var head: HTTPResponse
    /// Seconds since 1970 when the response arrived.
    public var storedAt: Double

    public init(data: Data, head: HTTPResponse = HTTPResponse(status: .ok), storedAt: Double) {
        self.data = data
        self.head = head
        self.storedAt = storedAt
    }
}
