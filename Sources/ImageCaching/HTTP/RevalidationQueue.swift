internal import DequeModule
internal import ImageCore

/// Background revalidations: a few at a time, and one at a time for each entry. The others wait in their order, and none is dropped.
final class RevalidationQueue: Sendable {
    typealias Job = @Sendable () async -> Void

    private struct State {
        /// The tasks that run jobs.
        var running = 0
        /// The entries of running and waiting jobs.
        var keys: Set<DataKey> = []
        var waiting: Deque<(key: DataKey, job: Job)> = []
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The most jobs that run at the same time.
    static let limit = 8

    private let state = Lock(State())

    /// Runs a job in the background, unless there is one for the entry already.
    func add(_ key: DataKey, _ job: @escaping Job) {
        let starts = state.withLock { state -> Bool in
            guard state.keys.insert(key).inserted else { return false }
            state.waiting.append((key, job))
            guard state.running < Self.limit else { return false }
            state.running += 1
            return true
        }
        guard starts else { return }
        Task { [self] in
            while let (key, job) = next() {
                await job()
                _ = state.withLock { $0.keys.remove(key) }
            }
        }
    }

    /// Returns when no job runs or waits.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.running > 0 { state.idleWaiters.append(continuation) }
                return state.running == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// The next job of a task, which ends if there is none.
    private func next() -> (key: DataKey, job: Job)? {
        let (next, waiters) = state.withLock { state -> ((key: DataKey, job: Job)?, [CheckedContinuation<Void, Never>]) in
            if let next = state.waiting.popFirst() { return (next, []) }
            state.running -= 1
            guard state.running == 0 else { return (nil, []) }
            defer { state.idleWaiters = [] }
            return (nil, state.idleWaiters)
        }
        for waiter in waiters { waiter.resume() }
        return next
    }
}
