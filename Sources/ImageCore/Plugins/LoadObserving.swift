/// Watches every load of a loader: for logs, metrics, a debug panel.
///
/// Called synchronously, on whatever thread the step happens, several at once; a slow observer slows its loader. The
/// observations of one load come in order, each `started` is followed by exactly one `finished`. With no observer
/// attached nothing is computed.
///
/// **Cancelling**: a cancelled load finishes with `.cancelled`. **Errors**: an observer cannot fail a load.
///
/// **Must not**: block, or start loads of the same loader from inside a call.
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
    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest)
}

/// Names one load of one loader, in the order they started.
public struct LoadID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "#\(rawValue)" }
}
