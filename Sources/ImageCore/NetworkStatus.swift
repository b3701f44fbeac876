/// What the network of this machine is like.
public struct NetworkStatus: Hashable, Sendable {
    /// Whether anything but the machine itself can be reached, as far as its routes tell.
    public var isReachable: Bool
    /// Whether the network costs money, such as a cellular or metered one.
    public var isExpensive: Bool
    /// Whether the user asked to spare the network (low-data mode).
    public var isConstrained: Bool

    public init(isReachable: Bool = true, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.isReachable = isReachable
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}
