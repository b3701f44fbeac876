/// What a load is for. Queues order loads by purpose first and by priority second.
public enum LoadPurpose: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// The load fills a cache for later use. Prefetches run last, oldest first.
    case prefetch
    /// A caller awaits the image. These loads run by priority, oldest first.
    case plain
    /// A view shows the image. These loads run first, newest first. With ``LoadPriority/veryLow``, the priority of a
    /// view off screen, a load queues among the plain ones.
    case view

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
