internal import ImageCore

/// The events of a load on their way to its listeners, one at a time and in order: a value.
///
/// A call that changes it says whether its caller must deliver; one caller at a time does.
struct EventQueue: Sendable {
    typealias Listener = @Sendable (LoadEvent) -> Void

    /// The events, each with how many of the listeners get it: those that had come before it.
    private var pending: [(event: LoadEvent, listeners: Int)] = []
    private var listeners: [Listener] = []
    /// Whether a caller delivers, or will.
    private var isDelivering = false

    /// - Parameter first: a listener that gets its first event after ``startDelivering()``.
    init(_ first: Listener?) {
        if let first { (listeners, isDelivering) = ([first], true) }
    }

    mutating func add(_ listener: @escaping Listener) { listeners.append(listener) }

    /// Queues an event. Returns whether the caller must deliver.
    mutating func append(_ event: () -> LoadEvent) -> Bool {
        guard !listeners.isEmpty else { return false }
        pending.append((event(), listeners.count))
        defer { isDelivering = true }
        return !isDelivering
    }

    /// Lets the first listener get events. Returns whether the caller must deliver.
    mutating func startDelivering() -> Bool {
        guard !listeners.isEmpty else { return false }
        isDelivering = !pending.isEmpty
        return isDelivering
    }

    /// The next event and those who get it; `nil` when all are delivered.
    mutating func next() -> (event: LoadEvent, listeners: [Listener])? {
        guard !pending.isEmpty else {
            isDelivering = false
            return nil
        }
        let (event, count) = pending.removeFirst()
        defer { if case .finished = event { listeners = [] } }
        return (event, Array(listeners.prefix(count)))
    }
}
