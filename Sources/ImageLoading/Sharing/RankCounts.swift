/// How many subscribers of each class work has.
struct RankCounts: Equatable, Sendable {
    /// By the class's raw value.
    private var counts = SIMD16<UInt32>()

    /// The highest class with a subscriber.
    var highest: RankClass? {
        var raw = RankClass.count
        while raw > 0 {
            raw -= 1
            if counts[raw] > 0 { return RankClass(rawValue: UInt8(raw)) }
        }
        return nil
    }

    mutating func add(_ rank: RankClass) { counts[Int(rank.rawValue)] += 1 }

    mutating func remove(_ rank: RankClass) { counts[Int(rank.rawValue)] -= 1 }
}
