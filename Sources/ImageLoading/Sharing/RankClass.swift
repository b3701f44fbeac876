internal import ImageCore

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
