#if canImport(os)
    internal import ImageCore
#else
    internal import Synchronization
#endif

/// Numbers the uses of a memory cache's entries, which orders them at a fraction of the cost of a clock.
struct UseCounter: ~Copyable, Sendable {
    // The oldest supported Apple systems have no `Atomic`.
    #if canImport(os)
        private let count = Lock<Int64>(0)

        func next() -> Int64 {
            count.withLock { count in
                count += 1
                return count
            }
        }
    #else
        private let count = Atomic<Int64>(0)

        func next() -> Int64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
    #endif
}
