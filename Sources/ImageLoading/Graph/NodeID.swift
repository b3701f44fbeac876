/// Names one piece of shared work in the graph; never valid twice. Later work compares as greater.
struct NodeID: Hashable, Comparable, Sendable {
    /// Where the ``SlotMap`` keeps it.
    let slot: Int
    /// The number of the insertion, from 1.
    let number: Int

    static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}
