/// How urgent a load is among the loads with the same purpose.
public enum LoadPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
