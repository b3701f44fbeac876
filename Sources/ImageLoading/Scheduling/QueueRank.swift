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
