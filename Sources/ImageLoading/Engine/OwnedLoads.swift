internal import ImageCore

/// The running loads whose requests name an owner, by owner.
final class OwnedLoads: Sendable {
    private let tasks = Lock<[LoadOwner: [LoadID: ImageTask]]>([:])

    func add(_ task: ImageTask, of owner: LoadOwner) {
        tasks.withLock { $0[owner, default: [:]][task.id] = task }
    }

    func remove(_ task: ImageTask, of owner: LoadOwner) {
        tasks.withLock { tasks in
            tasks[owner]?[task.id] = nil
            if tasks[owner]?.isEmpty == true { tasks[owner] = nil }
        }
    }

    /// The owner's loads, the oldest first.
    func loads(of owner: LoadOwner) -> [ImageTask] {
        tasks.withLock { $0[owner].map { Array($0.values) } ?? [] }.sorted { $0.id < $1.id }
    }

    var isEmpty: Bool { tasks.withLock { $0.isEmpty } }
}
