/// What a target does with its load while its view is off screen.
public enum OffScreenPolicy: String, Hashable, Sendable, CaseIterable {
    /// The load continues behind the loads of views on screen.
    case lowersPriority
    /// The load is cancelled, and restarted when the view is on screen again.
    case cancels
    /// The load continues with its priority.
    case keepsPriority
}
