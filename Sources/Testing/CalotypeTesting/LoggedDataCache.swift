public import ImageCore

/// A data cache in memory that records its calls, and that a test can hold at a gate or make fail.
public final class LoggedDataCache: DataCaching {
    /// A call of the cache that did not throw.
    public enum Call: Hashable, Sendable {
        /// `entry(for:)`, and whether it returned an entry.
        case read(DataKey, isHit: Bool)
        /// `store(_:for:)`, and the size of the body in bytes.
        case store(DataKey, bytes: Int)
        /// `removeEntry(for:)`.
        case remove(DataKey)
        /// `removeEntries(of:)`.
        case removeSource(ResourceKey)
        /// `removeAll()`.
        case removeAll
    }

    private let entries = Lock<[DataKey: DataEntry]>([:])
    private let log = EventLog<Call>()
    private let fault: @Sendable (Int) -> (any Error)?
    private let count = Lock(0)

    /// The gate that each read passes before it returns.
    public let readGate: Gate
    /// The gate that each store passes before it takes effect.
    public let storeGate: Gate

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - readGate: The gate of reads. Open by default.
    ///   - storeGate: The gate of stores. Open by default.
    ///   - fault: Returns the error that the n-th call throws, counted from 1, or `nil` for success. By default no call
    ///     fails.
    public init(
        readGate: Gate = Gate(isOpen: true), storeGate: Gate = Gate(isOpen: true),
        fault: @escaping @Sendable (Int) -> (any Error)? = { _ in nil }
    ) {
        (self.readGate, self.storeGate, self.fault) = (readGate, storeGate, fault)
    }

    /// All calls so far that did not throw, in order.
    public var calls: [Call] { log.events }
    /// The keys of all stored entries.
    public var keys: Set<DataKey> { entries.withLock { Set($0.keys) } }

    /// Returns as soon as at least `count` calls are recorded. Ignores cancellation.
    public func waitForCalls(_ count: Int) async { await log.wait(forCount: count) }

    public func entry(for key: DataKey) async throws -> DataEntry? {
        try await readGate.pass()
        try throwFault()
        let entry = entries.withLock { $0[key] }
        log.append(.read(key, isHit: entry != nil))
        return entry
    }

    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        try await storeGate.pass()
        try throwFault()
        entries.withLock { $0[key] = entry }
        log.append(.store(key, bytes: entry.data.count))
    }

    public func removeEntry(for key: DataKey) async throws {
        try throwFault()
        entries.withLock { $0[key] = nil }
        log.append(.remove(key))
    }

    public func removeEntries(of resource: ResourceKey) async throws {
        try throwFault()
        entries.withLock { $0 = $0.filter { !$0.key.resource.hasSameSource(as: resource) } }
        log.append(.removeSource(resource))
    }

    public func removeAll() async throws {
        try throwFault()
        entries.withLock { $0 = [:] }
        log.append(.removeAll)
    }

    private func throwFault() throws {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if let error = fault(number) { throw error }
    }
}
