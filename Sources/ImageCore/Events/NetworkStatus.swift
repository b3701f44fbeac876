/// The state of this machine's network.
public struct NetworkStatus: Hashable, Sendable {
    /// Whether the machine has a route to other machines; `true`.
    public var isReachable: Bool
    /// Whether the network may cost money, such as a cellular or metered one; `false`.
    public var isExpensive: Bool
    /// Whether the user asked for reduced traffic (low-data mode); `false`.
    public var isConstrained: Bool

    /// Creates a status.
    public init(isReachable: Bool = true, isExpensive: Bool = false, isConstrained: Bool = false) {
        (self.isReachable, self.isExpensive, self.isConstrained) = (isReachable, isExpensive, isConstrained)
    }
}
