/// A type-erased clock. Times count from the moment it was made.
struct PreviewClock: Sendable {
    let now: @Sendable () -> Duration
    /// Returns `false` when the surrounding task was cancelled.
    let sleep: @Sendable (Duration) async -> Bool

    init(_ clock: any Clock<Duration>) { self = PreviewClock.wrapping(clock) }

    private init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async -> Bool) {
        (self.now, self.sleep) = (now, sleep)
    }

    private static func wrapping(_ clock: some Clock<Duration>) -> PreviewClock {
        let start = clock.now
        return PreviewClock {
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
