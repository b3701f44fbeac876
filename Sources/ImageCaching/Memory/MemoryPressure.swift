internal import ImageCore

/// How urgently the system, or the control group of the process, needs memory.
///
/// Every ``MemoryCache`` responds to it, unless it was made with `respondsToPressure: false`. On Linux, pressure is
/// reported by the kernel's pressure stall information and by the events of the process's control group; on Apple
/// platforms by the system's memory pressure source and, in apps, by UIKit's notifications.
public enum MemoryPressure: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// The app is in the background.
    case background
    /// Memory is short; some processes wait for it.
    case warning
    /// Memory is about to run out.
    case critical

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Reports pressure to all memory caches and observers of this process, as the system does. Returns once they have
    /// freed memory.
    public static func post(_ pressure: MemoryPressure) { MemoryPressureCenter.shared.post(pressure) }
}

/// Calls a function at each report of memory pressure, as long as it exists. For memory caches other than
/// ``MemoryCache``.
///
/// ```swift
/// final class OwnCache: Sendable {
///     private let images = Lock<[String: Data]>([:])
///     private let pressure = Lock<MemoryPressureObserver?>(nil)
///     init() {
///         let observer = MemoryPressureObserver { [weak self] pressure in
///             if pressure == .critical { self?.images.withLock { $0 = [:] } }
///         }
///         pressure.withLock { $0 = observer }
///     }
/// }
/// ```
public final class MemoryPressureObserver: Sendable {
    private let center: MemoryPressureCenter
    private let number: Int

    /// Begins to observe. The system is watched while there is an observer.
    ///
    /// - Parameter respond: called on any thread; ``MemoryPressure/post(_:)`` waits for it. It should capture what it
    ///   frees weakly.
    public convenience init(_ respond: @escaping @Sendable (MemoryPressure) -> Void) {
        self.init(of: .shared, respond)
    }

    init(of center: MemoryPressureCenter, _ respond: @escaping @Sendable (MemoryPressure) -> Void) {
        self.center = center
        number = center.add(respond)
    }

    deinit { center.remove(number) }
}

/// Distributes memory pressure to the listeners of this process. Watches the system while there are listeners.
final class MemoryPressureCenter: Sendable {
    static let shared = MemoryPressureCenter { MemoryPressureWatch(onPressure: $0) }

    private struct State {
        var listeners: [Int: @Sendable (MemoryPressure) -> Void] = [:]
        var nextNumber = 0
        var watch: (any Sendable)?
    }

    private let state = Lock(State())
    private let startWatch: @Sendable (@escaping @Sendable (MemoryPressure) -> Void) -> (any Sendable)?

    /// - Parameter startWatch: starts to watch the system until the returned object is released.
    init(startWatch: @escaping @Sendable (@escaping @Sendable (MemoryPressure) -> Void) -> (any Sendable)?) {
        self.startWatch = startWatch
    }

    /// Calls `listener`, on any thread, until ``remove(_:)`` is called with the returned number.
    func add(_ listener: @escaping @Sendable (MemoryPressure) -> Void) -> Int {
        let (number, isFirst) = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return (state.nextNumber, state.listeners.count == 1)
        }
        if isFirst {
            let watch = startWatch { [weak self] in self?.post($0) }
            // After two concurrent first calls, one of the two watches is dropped.
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
