/// A store that is cleared together with the caches, such as a store of partial bodies.
///
/// The engine calls it when the user clears the caches, on no actor.
public protocol ClearableStore: Sendable {
    /// Removes everything. When the call returns, nothing that was stored before it is still being written.
    func removeAll() async
}
