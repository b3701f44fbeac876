internal import ImageCore

/// Keeps loads from waiting for a directory lock that another process holds.
///
/// The writer reports how its wait for the lock goes. A load waits with it until the lock counts as stuck. While it is
/// stuck, loads do not wait at all, and each starts an attempt in the background unless one is under way.
final class LockWait: Sendable {
    private struct State {
        var isStuck = false
        var isRetrying = false
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var nextNumber = 0
    }

    private let state = Lock(State())

    /// Seconds after which the lock counts as stuck. Other processes hold it for far less, unless they wait for a disk.
    static let patience = 0.09

    var isStuck: Bool { state.withLock { $0.isStuck } }

    /// The writer has the lock.
    func end() { state.withLock { $0.isStuck = false } }

    /// The writer has waited longer than a load does.
    func giveUp() {
        let waiting = state.withLock { state in
            state.isStuck = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }

    /// Runs work of the writer, and returns what it returns; `false` where the lock is stuck, with the work going on.
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
