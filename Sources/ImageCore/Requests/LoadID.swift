/// Identifies a load of a loader. Numbers increase in the order in which the loads start.
public struct LoadID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number of the load.
    public let rawValue: UInt64

    /// Creates the identifier of a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "#\(rawValue)" }
}
