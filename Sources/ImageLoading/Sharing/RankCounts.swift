/// How many subscribers of each class a job has.
struct RankCounts: Equatable, Sendable {
    private var counts: [RankClass: Int] = [:]

    /// The highest class with a subscriber.
    var highest: RankClass? { counts.keys.max() }

    mutating func add(_ rank: RankClass) { counts[rank, default: 0] += 1 }

    mutating func remove(_ rank: RankClass) {
        let count = (counts[rank] ?? 0) - 1
        counts[rank] = count > 0 ? count : nil
    }
}
