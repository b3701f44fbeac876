#if !canImport(Darwin)
    internal import Synchronization

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// Counts the jobs of a pool, where threads see it that look out for one.
    final class Lookout: Sendable {
        private let count = Atomic(0)

        /// Jobs so far.
        var posts: Int { count.load(ordering: .acquiring) }

        /// There is a job.
        func post() { count.wrappingAdd(1, ordering: .releasing) }

        /// Returns when there is a job more than those that were seen, or when patience ends.
        func lookOut(since seen: Int, with patience: Patience) {
            for _ in 0..<patience.looks {
                // Whoever makes the job may need this very processor.
                sched_yield()
                if posts != seen { return }
            }
        }
    }
#endif
