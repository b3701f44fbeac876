/// How many subscribers of each class a node has.
struct RankCounts: Equatable, Sendable {
    /// By the class's raw value.
    private var counts: [UInt32] = Array(repeating: 0, count: RankClass.count)

    /// The highest class with a subscriber.
    var highest: RankClass? {
        counts.lastIndex { $0 > 0 }.map { RankClass(rawValue: UInt8($0)) }
    }

    mutating func add(_ rank: RankClass) { counts[Int(rank.rawValue)] += 1 }

    mutating func remove(_ rank: RankClass) { counts[Int(rank.rawValue)] -= 1 }
}
