/// Names one load in the graph. Later loads compare as greater.
struct LoadTicket: Hashable, Comparable, Sendable {
    let rawValue: UInt64

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
