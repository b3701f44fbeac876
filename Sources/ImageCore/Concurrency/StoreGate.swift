/// Decides whether a result may still be stored: only if its work began after the store was last cleared.
///
/// Work notes the ``epoch`` when it begins. Clearing begins another epoch and waits until the stores of earlier ones
/// have ended, so that what they stored is removed too.
package final class StoreGate: Sendable {
    private struct State {
        var epoch = 0
        /// The stores that run for work of this epoch, and of earlier ones.
        var current = 0
        var earlier = 0
        /// Calls that wait until no store of an earlier epoch runs, and until none at all runs.
        var clearing: [CheckedContinuation<Void, Never>] = []
        var flushing: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    package init() {}

    /// The epoch of work that begins now.
    package var epoch: Int { state.withLock { $0.epoch } }

    /// Whether a result of work from this epoch may be stored. If so, ``end(_:)`` must follow.
    package func begin(_ epoch: Int) -> Bool {
        state.withLock { state in
            guard epoch == state.epoch else { return false }
            state.current += 1
            return true
        }
    }

    /// A store for work from this epoch has ended.
    package func end(_ epoch: Int) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if epoch == state.epoch { state.current -= 1 } else { state.earlier -= 1 }
            guard state.earlier == 0 else { return [] }
            defer { state.clearing = [] }
            guard state.current == 0, !state.flushing.isEmpty else { return state.clearing }
            defer { state.flushing = [] }
            return state.clearing + state.flushing
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Stores a result of work from this epoch, unless the store was cleared since.
    package func store(_ epoch: Int, _ body: () async throws -> Void) async rethrows {
        guard begin(epoch) else { return }
        defer { end(epoch) }
        try await body()
    }

    /// Begins another epoch: results of work that began before are no longer stored.
    package func close() {
        state.withLock { state in
            state.epoch += 1
            state.earlier += state.current
            state.current = 0
        }
    }

    /// Returns when no store for work of an earlier epoch runs.
    package func earlierStoresEnded() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.earlier > 0 { state.clearing.append(continuation) }
                return state.earlier == 0
            }
            if isDone { continuation.resume() }
        }
    }

    /// Returns when no store runs.
    package func allStoresEnded() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let isIdle = state.earlier + state.current == 0
                if !isIdle { state.flushing.append(continuation) }
                return isIdle
            }
            if isDone { continuation.resume() }
        }
    }
}
