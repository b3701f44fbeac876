/// A type-erased clock. Times count from the moment it was made.
struct ErasedClock: Sendable {
    let now: @Sendable () -> Duration
    /// Returns `false` when the surrounding task was cancelled.
    let sleep: @Sendable (Duration) async -> Bool

    init(_ clock: any Clock<Duration>) { self = ErasedClock.wrapping(clock) }

    private init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async -> Bool) {
        (self.now, self.sleep) = (now, sleep)
    }

    private static func wrapping(_ clock: some Clock<Duration>) -> ErasedClock {
        let start = clock.now
        return ErasedClock {
            start.duration(to: clock.now)
        } sleep: { duration in
            do {
                try await clock.sleep(for: duration)
                return true
            } catch {
                return false
            }
        }
    }
}
