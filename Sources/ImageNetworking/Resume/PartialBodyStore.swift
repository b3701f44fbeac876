public import ImageCore

/// Stores the partial bodies of interrupted transfers: the latest ones within a limit of bytes; with a data cache
/// behind it, also beyond the process.
public final class PartialBodyStore: ClearableStore {
    private struct State {
        /// The oldest first.
        var bodies: [(key: ResourceKey, body: PartialBody)] = []
        /// Increases when the store is cleared: bodies of transfers from before are not stored.
        var epoch = 0
        /// The last write to the cache behind; each waits for the one before.
        var writing: Task<Void, Never>?

        var byteCount: Int { bodies.reduce(0) { $0 + $1.body.bytes.count } }

        mutating func remove(_ key: ResourceKey) -> PartialBody? {
            bodies.firstIndex { $0.key == key }.map { bodies.remove(at: $0).body }
        }
    }

    let maximumBytes: Int
    private let backing: (any DataCaching)?
    private let state = Lock(State())

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - maximumBytes: the limit of all bodies in memory together, in bytes; 32 MB.
    ///   - backing: stores bodies beyond the process, within its own limits; `nil`, the default, for memory alone.
    public init(maximumBytes: Int = 32 << 20, backing: (any DataCaching)? = nil) {
        self.maximumBytes = maximumBytes
        self.backing = backing
    }

    /// Removes and returns the body of a key, if there is one.
    func take(_ key: ResourceKey) async -> PartialBody? {
        if let body = state.withLock({ $0.remove(key) }) {
            write { try await $0.removeEntry(for: Self.dataKey(key)) }
            return body
        }
        // A body that is still being written is in memory too, or was evicted.
        guard let entry = try? await backing?.entry(for: Self.dataKey(key)) else { return nil }
        write { try await $0.removeEntry(for: Self.dataKey(key)) }
        guard PartialBody.canResume(entry.head), let length = PartialBody.length(in: entry.head),
            1..<length ~= entry.data.count
        else { return nil }
        return PartialBody(head: entry.head, bytes: entry.data)
    }

    /// The epoch of a transfer that begins now.
    var epoch: Int { state.withLock { $0.epoch } }

    /// Stores a body, unless it is larger than the whole store, or the store was cleared since the epoch in which its
    /// transfer began (`nil`: now). `onDisk` says whether the cache behind may store it too.
    func put(_ body: PartialBody, for key: ResourceKey, since epoch: Int? = nil, now: Double, onDisk: Bool = true) {
        guard body.bytes.count <= maximumBytes else { return }
        let isStored = state.withLock { state in
            guard epoch ?? state.epoch == state.epoch else { return false }
            _ = state.remove(key)
            state.bodies.append((key, body))
            while state.byteCount > maximumBytes { state.bodies.removeFirst() }
            return true
        }
        guard isStored, onDisk else { return }
        // A body that was evicted meanwhile is not written: otherwise bodies that wait for a slow cache would have no
        // limit.
        write { [self] backing in
            guard let body = state.withLock({ $0.bodies.first { $0.key == key }?.body }) else { return }
            try await backing.store(DataEntry(data: body.bytes, head: body.head, storedAt: now), for: Self.dataKey(key))
        }
    }

    /// Removes all bodies from memory; those in the cache behind are removed with its entries. Returns when all pending
    /// writes to that cache have ended.
    public func removeAll() async {
        state.withLock { state in
            state.bodies = []
            state.epoch += 1
        }
        await flush()
    }

    /// Removes the bodies with the source of a resource from memory; those in the cache behind are removed with its
    /// entries.
    public func removeEntries(of resource: ResourceKey) async {
        state.withLock { $0.bodies.removeAll { $0.key.hasSameSource(as: resource) } }
        await flush()
    }

    /// Returns when all pending writes to the cache behind have ended.
    public func flush() async { await state.withLock { $0.writing }?.value }

    /// The bytes of all bodies in memory.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    private static func dataKey(_ key: ResourceKey) -> DataKey { DataKey(resource: key, variant: "partial") }

    /// Writes that fail are ignored: the next load then starts from the first byte.
    private func write(_ body: @escaping @Sendable (any DataCaching) async throws -> Void) {
        guard let backing else { return }
        state.withLock { state in
            let before = state.writing
            state.writing = Task {
                await before?.value
                try? await body(backing)
            }
        }
    }
}
