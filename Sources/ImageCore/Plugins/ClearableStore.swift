/// A store outside of the caches that is emptied together with them, such as one of partially received bodies.
///
/// Called by the engine when the user clears the caches, on no actor.
public protocol ClearableStore: Sendable {
    /// Removes everything. When it returns, nothing that was stored before is on its way to a disk any more.
    func removeAll() async
}
