internal import ImageCore

/// The running loads, the outcomes of the others, and the failures of the test.
final class LoadRecords: Sendable {
    private struct Running {
        let path: String
        let since: ContinuousClock.Instant
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var nextID = 0
        var running: [Int: Running] = [:]
        var ends: [String: [Outcome: Int]] = [:]
        var failures: [String] = []
        var failureCount = 0
        var fromDisk = 0
        /// The images that the disk cache served during the storm, by the name of the misbehaviour.
        var stored: [String: Int] = [:]
        var lastStart: ContinuousClock.Instant?
        var longestPause = Duration.zero
    }

    private let state = Lock(State())

    /// Records a load that starts. Returns its number, for ``end(_:of:as:)``.
    func begin(_ path: String, cancel: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.lastStart { state.longestPause = max(state.longestPause, now - last) }
            state.lastStart = now
            state.nextID += 1
            state.running[state.nextID] = Running(path: path, since: now, cancel: cancel)
            return state.nextID
        }
    }

    func end(_ id: Int, of misbehaviour: Misbehaviour, as outcome: Outcome) {
        state.withLock { state in
            state.running[id] = nil
            state.ends[misbehaviour.name, default: [:]][outcome, default: 0] += 1
        }
    }

    func fail(_ message: String) {
        state.withLock { state in
            state.failureCount += 1
            // The first failures are enough.
            if state.failures.count < 40, !state.failures.contains(message) { state.failures.append(message) }
        }
    }

    /// The next load is the first one after a rest.
    func noteRest() { state.withLock { $0.lastStart = nil } }

    /// Counts an image that the disk cache served during the storm.
    func noteStored(_ misbehaviour: Misbehaviour) { state.withLock { $0.stored[misbehaviour.name, default: 0] += 1 } }

    /// Counts an image that the disk cache served after the storm.
    func noteFromDisk() { state.withLock { $0.fromDisk += 1 } }

    func cancelAll() {
        for load in state.withLock({ Array($0.running.values) }) { load.cancel() }
    }

    /// The paths of loads that have run for longer than `bound`.
    func overdue(_ bound: Duration) -> [String] {
        let now = ContinuousClock.now
        return state.withLock { $0.running.values.filter { now - $0.since > bound }.map(\.path) }
    }

    var fromDisk: Int { state.withLock { $0.fromDisk } }
    func stored(of misbehaviour: Misbehaviour) -> Int { state.withLock { $0.stored[misbehaviour.name] ?? 0 } }
    /// The longest time between the starts of two loads, without rests.
    var longestPause: Duration { state.withLock { $0.longestPause } }
    var loads: Int { state.withLock { $0.nextID } }
    var running: Int { state.withLock { $0.running.count } }
    var failures: [String] { state.withLock { $0.failures } }
    var failureCount: Int { state.withLock { $0.failureCount } }

    func count(_ outcome: Outcome) -> Int { state.withLock { $0.ends.values.reduce(0) { $0 + ($1[outcome] ?? 0) } } }

    func ends(of misbehaviour: Misbehaviour) -> [Outcome: Int] { state.withLock { $0.ends[misbehaviour.name] ?? [:] } }
}
