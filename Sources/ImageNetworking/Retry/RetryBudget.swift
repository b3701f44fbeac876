/// Keeps retries from multiplying an outage: each first try earns a share of a retry, each retry spends a whole one.
///
/// A value; the loader keeps it behind a lock.
public struct RetryBudget: Hashable, Sendable {
    /// What a first try earns; 0.1, so that retries add at most a tenth to the load in the long run.
    public var ratio: Double
    /// The most that is saved up, and what a new budget has; 20 retries.
    public var capacity: Double
    private var balance: Double

    public init(ratio: Double = 0.1, capacity: Double = 20) {
        self.ratio = ratio
        self.capacity = capacity
        balance = capacity
    }

    /// A first try begins.
    public mutating func deposit() { balance = min(capacity, balance + ratio) }

    /// Whether a retry may be made; if so, it is paid for.
    public mutating func withdraw() -> Bool {
        guard balance >= 1 else { return false }
        balance -= 1
        return true
    }
}
