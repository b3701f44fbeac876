/// A type-erased clock. Times count from the moment it was made.
struct ErasedClock: Sendable {
    let now: @Sendable () -> Duration
    /// Returns `false` when the surrounding task was cancelled.
    let sleep: @Sendable (Duration) async -> Bool

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { (try? await clock.sleep(for: $0)) != nil }
    }
}
