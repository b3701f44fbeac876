public import ImageCore

/// Keeps the beginnings of bodies that broke off, the latest ones within a limit of bytes; with a data cache behind it,
/// also from one process to the next.
public final class PartialBodyStore: ClearableStore {
    fileprivate struct State {
        var bodies: [ResourceKey: PartialBody] = [:]
        /// The oldest first.
        var order: [ResourceKey] = []
        var byteCount = 0
        /// The last of the writes to the cache behind, each of which follows the one before.
        var writing: Task<Void, Never>?
    }

    let maximumBytes: Int
    private let backing: (any DataCaching)?
    private let state = Lock(State())

    /// - Parameters:
    ///   - maximumBytes: of all bodies in memory together; 32 MB.
    ///   - backing: where bodies are kept beyond the process; its own limits hold there.
    public init(maximumBytes: Int = 32 << 20, backing: (any DataCaching)? = nil) {
        self.maximumBytes = maximumBytes
        self.backing = backing
    }

    /// Takes the body of `key` out, if there is one.
    func take(_ key: ResourceKey) async -> PartialBody? {
        if let body = state.withLock({ $0.remove(key) }) {
            write { try await $0.removeEntry(for: Self.dataKey(key)) }
            return body
        }
        // What is still on its way there is in memory, or was dropped.
        guard let entry = try? await backing?.entry(for: Self.dataKey(key)) else { return nil }
        write { try await $0.removeEntry(for: Self.dataKey(key)) }
        guard PartialBody.canResume(entry.head), let length = PartialBody.length(in: entry.head),
            1..<length ~= entry.data.count
        else { return nil }
        return PartialBody(head: entry.head, bytes: entry.data)
    }

    /// Keeps a body; one that is larger than the whole store is dropped. `onDisk` says whether the cache behind may keep it too.
    func put(_ body: PartialBody, for key: ResourceKey, now: Double, onDisk: Bool = true) {
        guard body.bytes.count <= maximumBytes else { return }
        state.withLock { state in
            _ = state.remove(key)
            state.bodies[key] = body
            state.order.append(key)
            state.byteCount += body.bytes.count
            while state.byteCount > maximumBytes, let oldest = state.order.first { _ = state.remove(oldest) }
        }
        guard onDisk else { return }
        // What has gone from memory when its turn comes is not written: bodies that wait for a slow cache would have no limit.
        write { [self] backing in
            guard let body = state.withLock({ $0.bodies[key] }) else { return }
            try await backing.store(DataEntry(data: body.bytes, head: body.head, storedAt: now), for: Self.dataKey(key))
        }
    }

    /// Forgets what is kept in memory; what lies in the cache behind goes with that cache's own entries. Returns when nothing
    /// that was put before is on its way there any more.
    public func removeAll() async {
        state.withLock { state in (state.bodies, state.order, state.byteCount) = ([:], [], 0) }
        await flush()
    }

    /// Returns when the cache behind has all that was put so far and is still kept.
    public func flush() async { await state.withLock { $0.writing }?.value }

    /// How many bytes are kept in memory.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    private static func dataKey(_ key: ResourceKey) -> DataKey { DataKey(resource: key, variant: "partial") }

    /// A lost write costs a download from its start and nothing else.
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

extension PartialBodyStore.State {
    fileprivate mutating func remove(_ key: ResourceKey) -> PartialBody? {
        guard let body = bodies.removeValue(forKey: key) else { return nil }
        order.removeAll { $0 == key }
        byteCount -= body.bytes.count
        return body
    }
}
