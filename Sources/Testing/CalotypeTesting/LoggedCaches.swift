public import ImageCore

/// A memory cache without limits that logs every call.
public final class LoggedMemoryCache: Caching {
    public enum Call: Hashable, Sendable {
        case read(ImageKey, isHit: Bool)
        case store(ImageKey)
        case remove(ImageKey)
        case removeAll
    }

    private let images = Lock<[ImageKey: DecodedImage]>([:])
    private let log = EventLog<Call>()

    public init() {}

    public var calls: [Call] { log.events }
    public var keys: Set<ImageKey> { images.withLock { Set($0.keys) } }

    public func image(for key: ImageKey) -> DecodedImage? {
        let image = peekImage(for: key)
        log.append(.read(key, isHit: image != nil))
        return image
    }

    public func peekImage(for key: ImageKey) -> DecodedImage? { images.withLock { $0[key] } }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        images.withLock { $0[key] = image }
        log.append(.store(key))
    }

    public func removeImage(for key: ImageKey) {
        images.withLock { $0[key] = nil }
        log.append(.remove(key))
    }

    public func removeAll() {
        images.withLock { $0 = [:] }
        log.append(.removeAll)
    }
}

/// A data cache in memory that logs every call, can be held at a gate, and can be told to fail.
public final class LoggedDataCache: DataCaching {
    public enum Call: Hashable, Sendable {
        case read(DataKey, isHit: Bool)
        case store(DataKey, bytes: Int)
        case remove(DataKey)
        case removeAll
    }

    private let entries = Lock<[DataKey: DataEntry]>([:])
    private let log = EventLog<Call>()
    private let fault: @Sendable (Int) -> (any Error)?
    private let count = Lock(0)

    /// Passed by every read before it answers.
    public let readGate: Gate
    /// Passed by every store before it takes effect.
    public let storeGate: Gate

    /// - Parameter fault: the error that the n-th call (from 1) throws, `nil` for none.
    public init(
        readGate: Gate = Gate(isOpen: true), storeGate: Gate = Gate(isOpen: true),
        fault: @escaping @Sendable (Int) -> (any Error)? = { _ in nil }
    ) {
        self.readGate = readGate
        self.storeGate = storeGate
        self.fault = fault
    }

    public var calls: [Call] { log.events }
    public var keys: Set<DataKey> { entries.withLock { Set($0.keys) } }

    public func waitForCalls(_ count: Int) async { await log.wait(forCount: count) }

    public func entry(for key: DataKey) async throws -> DataEntry? {
        try await readGate.pass()
        try fail()
        let entry = entries.withLock { $0[key] }
        log.append(.read(key, isHit: entry != nil))
        return entry
    }

    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        try await storeGate.pass()
        try fail()
        entries.withLock { $0[key] = entry }
        log.append(.store(key, bytes: entry.data.count))
    }

    public func removeEntry(for key: DataKey) async throws {
        try fail()
        entries.withLock { $0[key] = nil }
        log.append(.remove(key))
    }

    public func removeAll() async throws {
        try fail()
        entries.withLock { $0 = [:] }
        log.append(.removeAll)
    }

    private func fail() throws {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if let error = fault(number) { throw error }
    }
}
