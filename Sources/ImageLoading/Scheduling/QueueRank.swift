internal import ImageCore

/// The order in which queued work is taken: the greatest rank first.
///
/// What a live view waits for comes first, newest request first; then plain loads by priority, oldest first; then
/// prefetches, oldest first; then revalidations in the background, oldest first.
struct QueueRank: Comparable, Sendable {
    var rankClass: RankClass
    /// When the oldest subscriber came.
    var oldest: UInt64
    /// When the newest view came.
    var newest: UInt64

    var isPrefetch: Bool { rankClass.purpose == .prefetch }
    var isRevalidation: Bool { rankClass == .revalidation }

    static func < (a: Self, b: Self) -> Bool {
        let (pa, pb) = (a.rankClass.purpose, b.rankClass.purpose)
        if pa != pb { return pa < pb }
        switch pa {
        case .view: return a.newest < b.newest
        case .plain where a.rankClass != b.rankClass: return a.rankClass < b.rankClass
        case .prefetch where a.isRevalidation != b.isRevalidation: return a.isRevalidation
        case .plain, .prefetch: return a.oldest > b.oldest
        }
    }
}

/// The class of a subscriber: what it is for and how urgent it is, as one number from 0 to 15.
///
/// Views and prefetches have no ranks by priority among themselves in the queue, but shared work still reports the
/// highest priority to the network layer.
struct RankClass: Hashable, Comparable, Sendable {
    let rawValue: UInt8

    /// How many priorities there are.
    private static var priorities: Int { LoadPriority.veryHigh.rawValue + 1 }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A revalidation in the background, for which no load waits: a prefetch that comes after all others.
    static let revalidation = RankClass(rawValue: 0)

    /// A view's load of the lowest priority, which it gets when the view is off screen, stands among the plain ones: it
    /// must not go before what is on screen.
    init(_ purpose: LoadPurpose, _ priority: LoadPriority) {
        let purpose = purpose == .view && priority == .veryLow ? .plain : purpose
        rawValue = UInt8(1 + purpose.rawValue * Self.priorities + priority.rawValue)
    }

    var purpose: LoadPurpose { LoadPurpose(rawValue: (Int(rawValue) - 1) / Self.priorities) ?? .prefetch }
    var priority: LoadPriority { LoadPriority(rawValue: (Int(rawValue) - 1) % Self.priorities) ?? .veryLow }

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

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
