internal import ImageCore

/// What a stage receives besides its work and its input.
struct StageContext: Sendable {
    /// The highest class among the subscribers when the step begins.
    let rank: RankClass
    let token: CancellationToken
    /// Whether the memory that the step takes has been claimed.
    let hasMemoryReservation: Bool

    /// Runs asynchronous work in a task of its own, which the token cancels.
    func startTask(_ work: sending @escaping @isolated(any) () async -> Void) {
        let task = Task(operation: work)
        token.onCancel { task.cancel() }
    }
}
