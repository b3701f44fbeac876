/// A number that a loader counts up, as the name of something; later ones compare as greater.
protocol CountedID: Hashable, Comparable, Sendable {
    var rawValue: UInt64 { get }
}

extension CountedID {
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Names a job.
struct JobID: CountedID {
    let rawValue: UInt64
}

/// Names a subscription to a job.
struct SubscriptionID: CountedID {
    let rawValue: UInt64
}
