internal import ImageCore

/// A number that a loader counts up, as the name of something.
protocol CountedID: Hashable, Comparable, Sendable {
    var rawValue: UInt64 { get }
}

extension CountedID {
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The loader makes some forty lookups of ids in a load, and no input chooses an id.
    func _rawHashValue(seed: Int) -> Int { fibonacciHash(rawValue, seed: seed) }
}

/// Names one piece of shared work; later work compares as greater.
struct WorkID: CountedID {
    let rawValue: UInt64
}

/// Names one subscription to shared work; later subscriptions compare as greater.
struct SubscriptionID: CountedID {
    let rawValue: UInt64
}
