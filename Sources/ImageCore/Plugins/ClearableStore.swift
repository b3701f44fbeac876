/// A store that is cleared together with the caches, such as a store of partial bodies.
///
/// The engine calls it when the user clears the caches, on no actor.
public protocol ClearableStore: Sendable {
    /// Removes everything. When the call returns, nothing that was stored before it is still being written, and
    /// transfers that began before it store nothing.
    func removeAll() async
    /// Removes everything with the source of a resource (``ResourceKey/hasSameSource(as:)``). Calls ``removeAll()`` by
    /// default.
    func removeEntries(of resource: ResourceKey) async
}

extension ClearableStore {
    public func removeEntries(of resource: ResourceKey) async { await removeAll() }
}
