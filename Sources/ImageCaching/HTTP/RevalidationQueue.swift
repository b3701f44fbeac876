internal import ImageCore

/// Background revalidations: a few at a time, and one at a time for each entry. The others wait in their order, and none is dropped.
final class RevalidationQueue: Sendable {
    typealias Job = @Sendable () async -> Void

    private struct State {
        var running = 0
        /// The entries of running and waiting jobs.
        var keys: Set<DataKey> = []
        var waiting: [(key: DataKey, job: Job)] = []
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    static let standardLimit = 8

    private let state = Lock(State())
    private let limit: Int

    /// - Parameter limit: the most jobs that run at the same time.
    init(limit: Int = RevalidationQueue.standardLimit) { self.limit = limit }

    /// Runs a job in the background, unless there is one for the entry already.
    func add(_ key: DataKey, _ job: @escaping Job) {
        let starts = state.withLock { state -> Bool in
            guard state.keys.insert(key).inserted else { return false }
            guard state.running < limit else {
                state.waiting.append((key, job))
                return false
            }
            state.running += 1
            return true
        }
        if starts { start(key, job) }
    }

    /// Returns when no job runs or waits.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.keys.isEmpty { state.idleWaiters.append(continuation) }
                return state.keys.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    private func start(_ key: DataKey, _ job: @escaping Job) {
        Task { [self] in
            var current: (key: DataKey, job: Job)? = (key, job)
            while let (key, job) = current {
                await job()
                current = end(key)
            }
        }
    }

    /// Ends a job and returns the next one.
    private func end(_ key: DataKey) -> (key: DataKey, job: Job)? {
        let (next, waiters) = state.withLock { state -> ((key: DataKey, job: Job)?, [CheckedContinuation<Void, Never>]) in
            state.keys.remove(key)
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            if next == nil { state.running -= 1 }
            guard state.keys.isEmpty else { return (next, []) }
            defer { state.idleWaiters = [] }
            return (next, state.idleWaiters)
        }
        for waiter in waiters { waiter.resume() }
        return next
    }
}
