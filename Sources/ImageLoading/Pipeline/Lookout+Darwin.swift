#if canImport(Darwin)
    /// Nothing: the oldest systems supported have no atomic numbers, and their threads wake faster.
    final class Lookout: Sendable {
        var posts: Int { 0 }

        func post() {}

        func lookOut(since seen: Int, with patience: Patience) {}
    }
#endif
