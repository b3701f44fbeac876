/// How many subscribers of each class work has.
struct RankCounts: Equatable, Sendable {
    /// By the class's raw value.
    private var counts = SIMD16<UInt32>()
    /// A bit for each class that has a subscriber.
    private var present: UInt16 = 0

    /// The highest class with a subscriber.
    var highest: RankClass? {
        present == 0 ? nil : RankClass(rawValue: UInt8(UInt16.bitWidth - 1 - present.leadingZeroBitCount))
    }

    mutating func add(_ rank: RankClass) {
        counts[Int(rank.rawValue)] += 1
        present |= 1 << UInt16(rank.rawValue)
    }

    mutating func remove(_ rank: RankClass) {
        counts[Int(rank.rawValue)] -= 1
        if counts[Int(rank.rawValue)] == 0 { present &= ~(1 << UInt16(rank.rawValue)) }
    }
}
