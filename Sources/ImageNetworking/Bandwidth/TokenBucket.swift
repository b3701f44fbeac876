/// A token bucket, one token per byte: decides when bytes may pass so that their rate stays within a limit.
///
/// It may run into debt: a chunk passes whole, and the next one waits until the debt is paid, so that no chunk is too
/// large to ever pass.
struct TokenBucket: Hashable, Sendable {
    /// What a full bucket holds, as a time at the full rate. It is short, so that the limit holds over short periods
    /// too.
    static let burst: Duration = .milliseconds(100)

    /// 0 for no limit.
    private(set) var bytesPerSecond: Int
    /// When the bucket, filling at its rate, was or will be empty: in the future while there is debt.
    private var paidUntil: Duration

    init(bytesPerSecond: Int, now: Duration) {
        self.bytesPerSecond = max(0, bytesPerSecond)
        paidUntil = now
    }

    /// Changes the rate. Debt is kept as the time that it was to take.
    mutating func setRate(_ bytesPerSecond: Int) { self.bytesPerSecond = max(0, bytesPerSecond) }

    /// Takes `count` bytes. Returns how long to wait before the next ones are taken.
    mutating func take(_ count: Int, now: Duration) -> Duration {
        guard bytesPerSecond > 0 else {
            paidUntil = now
            return .zero
        }
        paidUntil = max(paidUntil, now - Self.burst) + .seconds(Double(count) / Double(bytesPerSecond))
        return max(.zero, paidUntil - now)
    }
}
