/// A number that a loader counts up, as the name of something.
protocol CountedID: Hashable, Comparable, Sendable {
    var rawValue: UInt64 { get }
}

extension CountedID {
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The loader makes some forty lookups of ids in a load, and no input chooses an id. This hash (Fibonacci hashing: Knuth, The
    /// Art of Computer Programming, volume 3, section 6.4) costs a twentieth of the seeded one of the standard library, which
    /// would be an eighth of a load.
    func _rawHashValue(seed: Int) -> Int {
        let product = (rawValue ^ UInt64(bitPattern: Int64(seed))) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product ^ product >> 32)
    }
}

/// Names one piece of shared work; later work compares as greater.
struct WorkID: CountedID {
    let rawValue: UInt64
}

/// Names one subscription to shared work; later subscriptions compare as greater.
struct SubscriptionID: CountedID {
    let rawValue: UInt64
}
