internal import ImageCore

/// Cancels the task of a chain of work, as soon as there is one.
final class TaskCanceller: Sendable {
    private let state = Lock<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    func set(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
