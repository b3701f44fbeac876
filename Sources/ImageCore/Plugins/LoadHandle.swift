/// Controls a load that is running. Releasing the handle does not cancel the load.
public protocol LoadHandle: AnyObject, Sendable {
    /// The identifier of the load.
    var id: LoadID { get }
    /// The priority, which may be changed while the load runs. Shared work has the highest priority of its loads.
    var priority: LoadPriority { get set }
    /// Cancels the load. Work that no other load shares stops, including the transfer. The last event is then
    /// `finished` with ``LoadFailure/cancelled``. Does nothing after the end.
    func cancel()
}
