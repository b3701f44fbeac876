/// How much of a body has arrived.
public struct LoadProgress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes that have arrived.
    public var received: Int
    /// The length of the body in bytes; `nil` if it is unknown.
    public var expected: Int?

    /// Creates a progress.
    public init(received: Int, expected: Int?) {
        self.received = received
        self.expected = expected
    }

    /// The share that has arrived, from 0 to 1; `nil` if the length is unknown.
    public var fraction: Double? {
        guard let expected, expected > 0 else { return nil }
        return min(1, Double(received) / Double(expected))
    }

    /// The bytes, such as `4096 of 12034 bytes`.
    public var description: String { expected.map { "\(received) of \($0) bytes" } ?? "\(received) bytes" }
}
