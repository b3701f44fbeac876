import ImageCore

/// Stores encoded images, with the heads of their responses.
public actor __Type__: DataCaching {
    /// Creates an empty cache.
    public init() {}

    public func entry(for key: DataKey) async throws -> DataEntry? {
        // What was stored, byte for byte; a damaged entry is a miss. What blocks runs in a ThreadPool.
        throw unwritten
    }

    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        // Completed although the task is cancelled. `key.variant` and each part of `key.resource` tell entries apart.
        throw unwritten
    }

    public func removeEntry(for key: DataKey) async throws { throw unwritten }

    public func removeEntries(of resource: ResourceKey) async throws {
        // All keys for which `key.resource.hasSameSource(as: resource)`.
        throw unwritten
    }

    public func removeAll() async throws { throw unwritten }

    private var unwritten: ImageError {
        ImageError(.plugInFailed, message: "__Type__ stores nothing yet: write entry(for:) and store(_:for:) first.")
    }
}
