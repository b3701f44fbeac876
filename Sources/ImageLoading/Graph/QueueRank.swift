internal import ImageCore

/// The class of a subscriber: what it is for and how urgent it is, as one number from 0 to 14.
///
/// Views and prefetches have no ranks by priority among themselves in the queue, but shared work still reports the
/// highest priority to the network layer.
struct RankClass: Hashable, Comparable, Sendable {
    let rawValue: UInt8

    static let count = LoadPurpose.allCases.count * priorities

    /// How many priorities there are.
    private static var priorities: Int { LoadPriority.veryHigh.rawValue + 1 }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A view's load of the lowest priority, which it gets when the view is off screen, stands among the plain ones: it must
    /// not go before what is on screen.
    init(_ purpose: LoadPurpose, _ priority: LoadPriority) {
        let purpose = purpose == .view && priority == .veryLow ? .plain : purpose
        rawValue = UInt8(purpose.rawValue * Self.priorities + priority.rawValue)
    }

    // Made of their numbers: the list of all cases is looked up each time.
    var purpose: LoadPurpose { LoadPurpose(rawValue: Int(rawValue) / Self.priorities) ?? .prefetch }
    var priority: LoadPriority { LoadPriority(rawValue: Int(rawValue) % Self.priorities) ?? .veryLow }

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
    /// The one class that has subscribers, and how many: nearly always all are of one, and a node must not cost an array.
    private var only = RankClass(rawValue: 0)
    private var count: UInt32 = 0
    /// By class, once there have been two at a time; the bits tell which classes have any.
    private var counts: [UInt32] = []
    private var present: UInt16 = 0

    /// The highest class with a subscriber.
    var highest: RankClass? {
        if counts.isEmpty { return count == 0 ? nil : only }
        return present == 0 ? nil : RankClass(rawValue: UInt8(15 - present.leadingZeroBitCount))
    }

    mutating func add(_ rank: RankClass) {
        if counts.isEmpty {
            if count == 0 || only == rank {
                only = rank
                count += 1
                return
            }
            counts = Array(repeating: 0, count: RankClass.count)
            counts[Int(only.rawValue)] = count
            present = 1 << UInt16(only.rawValue)
        }
        counts[Int(rank.rawValue)] += 1
        present |= 1 << UInt16(rank.rawValue)
    }

    mutating func remove(_ rank: RankClass) {
        guard !counts.isEmpty else {
            count -= 1
            return
        }
        counts[Int(rank.rawValue)] -= 1
        if counts[Int(rank.rawValue)] == 0 { present &= ~(1 << UInt16(rank.rawValue)) }
    }
}
