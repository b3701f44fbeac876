/// Identifies a load among those of all loaders of the process. Numbers increase in the order in which the loads start.
public struct LoadID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number of the load.
    public let rawValue: UInt64

    private static let last = Lock<UInt64>(0)

    /// The identifier of a load that starts now.
    package static func next() -> LoadID {
        LoadID(
            rawValue: last.withLock { last in
                last += 1
                return last
            })
    }

    /// Creates the identifier of a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "#\(rawValue)" }
}
