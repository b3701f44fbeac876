/// Names one piece of shared work; later work compares as greater.
struct WorkID: Hashable, Comparable, Sendable {
    let rawValue: UInt64

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Names one subscription to shared work; later subscriptions compare as greater.
struct SubscriptionID: Hashable, Comparable, Sendable {
    let rawValue: UInt64

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
