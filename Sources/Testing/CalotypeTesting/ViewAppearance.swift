/// What a view shows at one moment. The checks ignore properties that are `nil`.
public struct ViewAppearance: Hashable, Sendable {
    /// Red, green and blue in the middle of the view, 0 to 255; empty when the view shows nothing.
    ///
    /// The checks accept a difference of 4 in each component.
    public var color: [UInt8]
    /// Whether the view shows a spinner or another sign that a load is running.
    public var isLoading: Bool?
    /// Whether the view shows a sign of failure in addition to the failure image.
    public var hasFailed: Bool?
    /// The view's accessibility label; empty when it has none.
    public var label: String?

    /// Creates an appearance.
    ///
    /// - Parameters:
    ///   - color: Red, green and blue in the middle of the view, 0 to 255; empty when the view shows nothing.
    ///   - isLoading: Whether the view shows that a load is running. By default not checked.
    ///   - hasFailed: Whether the view shows a sign of failure. By default not checked.
    ///   - label: The accessibility label. By default not checked.
    public init(color: [UInt8], isLoading: Bool? = nil, hasFailed: Bool? = nil, label: String? = nil) {
        (self.color, self.isLoading, self.hasFailed, self.label) = (color, isLoading, hasFailed, label)
    }

    /// Whether the color differs from another one by at most 4 in each component.
    func isClose(to other: [UInt8]) -> Bool {
        color.count == other.count && zip(color, other).allSatisfy { abs(Int($0) - Int($1)) <= 4 }
    }
}
