internal import ImageCore

/// How badly the system, or the part of it that the process may use, needs memory back.
///
/// Every ``MemoryCache`` hears of it by itself, unless it was made not to. On Linux the news comes from the kernel's
/// pressure stall information and from the events of the process's control group, on Apple platforms from the system's
/// memory pressure source and, where there are apps, from their going to the background.
public enum MemoryPressure: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// The app is not seen any more.
    case background
    /// Others wait for memory now and then.
    case warning
    /// Memory is about to run out.
    case critical

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Tells all caches of this process, as if the system had: for apps that know better, and for tests. Returns once all
    /// of them have made room.
    public static func post(_ pressure: MemoryPressure) { MemoryPressureCenter.shared.post(pressure) }
}

/// Where the news of one process arrives. Listens to the system while anybody listens here.
final class MemoryPressureCenter: Sendable {
    static let shared = MemoryPressureCenter { MemoryPressureWatch(onPressure: $0) }

    private struct State {
        var listeners: [Int: @Sendable (MemoryPressure) -> Void] = [:]
        var nextNumber = 0
        var watch: (any Sendable)?
    }

    private let state = Lock(State())
    private let startWatch: @Sendable (@escaping @Sendable (MemoryPressure) -> Void) -> (any Sendable)?

    /// - Parameter startWatch: begins to watch the system, and goes on as long as what it returns lives.
    init(startWatch: @escaping @Sendable (@escaping @Sendable (MemoryPressure) -> Void) -> (any Sendable)?) {
        self.startWatch = startWatch
    }

    /// Calls `listener`, on any thread, until the returned number is given to ``remove(_:)``.
    func add(_ listener: @escaping @Sendable (MemoryPressure) -> Void) -> Int {
        let (number, isFirst) = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return (state.nextNumber, state.listeners.count == 1)
        }
        if isFirst {
            let watch = startWatch { [weak self] in self?.post($0) }
            // Two that were first at the same time: one watch is dropped again.
            state.withLock { if $0.watch == nil, !$0.listeners.isEmpty { $0.watch = watch } }
        }
        return number
    }

    func remove(_ number: Int) {
        let watch = state.withLock { state -> (any Sendable)? in
            state.listeners[number] = nil
            guard state.listeners.isEmpty else { return nil }
            defer { state.watch = nil }
            return state.watch
        }
        withExtendedLifetime(watch) {}
    }

    func post(_ pressure: MemoryPressure) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener(pressure) }
    }

    var isWatching: Bool { state.withLock { $0.watch != nil } }
}
