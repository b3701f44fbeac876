internal import ImageCore

/// Limits how long loads wait for a directory lock that another process holds.
///
/// The writer reports whether it has the lock. A load waits for the writer until the lock counts as stuck. Then loads do not wait
/// at all, and one of them at a time starts a new attempt in the background.
final class LockWait: Sendable {
    private struct State {
        var isStuck = false
        var isRetrying = false
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var nextNumber = 0
    }

    private let state = Lock(State())

    /// Seconds after which the lock counts as stuck. Other processes hold it for far less, unless they wait for a disk.
    static let loadTimeout = 0.09

    var isStuck: Bool { state.withLock { $0.isStuck } }

    /// Ends the stuck state, when the writer has the lock.
    func markAcquired() { state.withLock { $0.isStuck = false } }

    /// Begins the stuck state and ends the waits of all loads.
    func markStuck() {
        let waiting = state.withLock { state in
            state.isStuck = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }

    /// Runs work of the writer and returns its result; returns `false` if the lock is stuck, while the work continues.
    func wait(for work: @escaping @Sendable () async -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let (number, isRetry) = state.withLock { state -> (Int?, Bool) in
                if state.isStuck {
                    defer { state.isRetrying = true }
                    return (nil, !state.isRetrying)
                }
                state.nextNumber += 1
                state.waiting[state.nextNumber] = continuation
                return (state.nextNumber, false)
            }
            if number == nil { continuation.resume(returning: false) }
            guard number != nil || isRetry else { return }
            Task { [self] in
                let result = await work()
                let waiting = state.withLock { state in
                    if isRetry { state.isRetrying = false }
                    return number.flatMap { state.waiting.removeValue(forKey: $0) }
                }
                waiting?.resume(returning: result)
            }
        }
    }
}
