/// Which images the memory cache evicts first.
public enum CachePriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// The image may be evicted whenever the cache is over a limit.
    case normal
    /// The image is evicted only after every image of normal priority.
    case high

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
