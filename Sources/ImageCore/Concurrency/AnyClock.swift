/// A clock of any type. Its times are durations since its creation.
package struct AnyClock: Sendable {
    private let readNow: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Creates a clock whose time is zero now and that waits like `clock`.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        readNow = { start.duration(to: clock.now) }
        wait = { duration in
            guard clock is ContinuousClock else { return try await clock.sleep(for: duration) }
            let end = ContinuousClock.now + duration
            repeat {
                try await Task.sleep(for: min(end - ContinuousClock.now, Self.longestPart), clock: .continuous)
            } while ContinuousClock.now < end
        }
    }

    /// The longest sleep of the system's clock. A sleep that is cancelled keeps its memory until its time has come, and
    /// then wakes a thread.
    private static let longestPart = Duration.seconds(2)

    /// The time since the creation.
    package var now: Duration { readNow() }

    /// Waits.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func sleep(for duration: Duration) async throws { try await wait(duration.clampedToClockRange) }

    /// Waits for an operation, and cancels it if it takes longer than the limit.
    ///
    /// - Returns: the result of the operation; `nil` if it took too long.
    /// - Throws: what the operation throws; `CancellationError` if the task is cancelled.
    package func value<Value: Sendable>(
        within limit: Duration, of operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
