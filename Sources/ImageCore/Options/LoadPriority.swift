/// How urgent a load is among the loads with the same purpose.
public enum LoadPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Below all others: a view that is off screen.
    case veryLow
    /// Below the default: a prefetch.
    case low
    /// The default.
    case normal
    /// Above the default.
    case high
    /// Above all others.
    case veryHigh

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
