/// Limits retries during an outage: each first attempt earns a share of a retry, and each retry spends a whole one.
public struct RetryBudget: Hashable, Sendable {
    /// What a first attempt earns; 0.1, so that retries add at most a tenth to the requests in the long run.
    public var ratio: Double
    /// The largest balance, and that of a new budget; 20 retries.
    public var capacity: Double
    private var balance: Double

    /// Makes a full budget.
    public init(ratio: Double = 0.1, capacity: Double = 20) {
        self.ratio = ratio
        self.capacity = capacity
        balance = capacity
    }

    /// Called when a first attempt begins.
    public mutating func deposit() { balance = min(capacity, balance + ratio) }

    /// Whether a retry may be made; if so, the budget is charged.
    public mutating func withdraw() -> Bool {
        guard balance >= 1 else { return false }
        balance -= 1
        return true
    }
}
