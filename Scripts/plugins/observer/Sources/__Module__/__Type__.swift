import ImageCore

/// Counts loads.
public final class __Type__: LoadObserving {
    private let counts = Lock((failures: 0, others: 0))

    /// Creates an observer that has counted nothing.
    public init() {}

    /// The loads that failed. Cancelled loads did not.
    public var failures: Int { counts.withLock { $0.failures } }

    public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        // Called by each step of each load, on its thread: add a number under the lock, and return. Write no URL:
        // `request.description` has no credentials.
    }
}
