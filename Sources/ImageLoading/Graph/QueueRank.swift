internal import ImageCore

/// The class of a subscriber: what it is for and how urgent it is, as one number from 0 to 14.
///
/// Views and prefetches have no ranks by priority among themselves in the queue, but shared work still reports the
/// highest priority to the network layer.
struct RankClass: Hashable, Comparable, Sendable {
    let rawValue: Int

    static let count = LoadPurpose.allCases.count * LoadPriority.allCases.count

    init(rawValue: Int) { self.rawValue = rawValue }

    /// A view's load of the lowest priority, which it gets when the view is off screen, stands among the plain ones: it must
    /// not go before what is on screen.
    init(_ purpose: LoadPurpose, _ priority: LoadPriority) {
        let purpose = purpose == .view && priority == .veryLow ? .plain : purpose
        rawValue = purpose.rawValue * LoadPriority.allCases.count + priority.rawValue
    }

    var purpose: LoadPurpose { LoadPurpose.allCases[rawValue / LoadPriority.allCases.count] }
    var priority: LoadPriority { LoadPriority.allCases[rawValue % LoadPriority.allCases.count] }

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The order in which queued work is taken: the greatest rank first.
///
/// What a live view waits for comes first, newest request first; then plain loads by priority, oldest first; then
/// prefetches, oldest first.
struct QueueRank: Comparable, Sendable {
    var rankClass: RankClass
    /// When the oldest subscriber came.
    var oldest: UInt64
    /// When the newest view came.
    var newest: UInt64

    static func < (a: Self, b: Self) -> Bool {
        let (pa, pb) = (a.rankClass.purpose, b.rankClass.purpose)
        if pa != pb { return pa < pb }
        switch pa {
        case .view: return a.newest < b.newest
        case .plain where a.rankClass != b.rankClass: return a.rankClass < b.rankClass
        case .plain, .prefetch: return a.oldest > b.oldest
        }
    }
}

/// How many subscribers of each class there are; finds the highest in constant time.
struct RankCounts: Sendable {
    // One count per class, held inline in a vector: a node must not cost an array.
    private var counts = SIMD16<UInt32>(repeating: 0)
    private var present: UInt16 = 0

    /// The highest class with a subscriber.
    var highest: RankClass? {
        present == 0 ? nil : RankClass(rawValue: UInt16.bitWidth - 1 - present.leadingZeroBitCount)
    }

    mutating func add(_ rank: RankClass) {
        counts[rank.rawValue] += 1
        present |= 1 << UInt16(rank.rawValue)
    }

    mutating func remove(_ rank: RankClass) {
        counts[rank.rawValue] -= 1
        if counts[rank.rawValue] == 0 { present &= ~(1 << UInt16(rank.rawValue)) }
    }
}
