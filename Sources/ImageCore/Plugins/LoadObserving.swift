/// Observes every load of a loader, for logs, metrics or a debug panel.
///
/// Called synchronously on the thread of each step, at the same time on several threads; a slow observer slows its
/// loader. The observations of a load come in order, and each `started` is followed by exactly one `finished`.
///
/// **Cancelling**: a cancelled load finishes with `.cancelled`. **Errors**: an observer cannot fail a load.
///
/// **Must not**: block, or start loads of the same loader during a call.
///
/// ```swift
/// final class FailureCount: LoadObserving {
///     private let count = Lock(0)
///     func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
///         if case .finished(.failure(.failed)) = observation { count.withLock { $0 += 1 } }
///     }
/// }
/// ```
public protocol LoadObserving: Sendable {
    /// Receives an observation.
    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest)
}
