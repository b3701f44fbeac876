internal import Calotype
internal import InstantPlugIns
internal import Synchronization

/// Holds all requests until it is released, and then responds to all.
final class HeldLoader: DataLoading {
    @safe private struct State {
        var waiting: [UnsafeContinuation<Void, Never>] = unsafe []
        var isReleased = false
    }

    private let state = Mutex(State())

    /// The number of held requests.
    var held: Int { state.withLock { unsafe $0.waiting.count } }

    func load(_ request: DataRequest) async throws -> DataResponse {
        // Unchecked, because a checked continuation would count as memory of the load.
        unsafe await withUnsafeContinuation { continuation in
            let isReleased = state.withLock { state in
                if !state.isReleased { unsafe state.waiting.append(continuation) }
                return state.isReleased
            }
            if isReleased { unsafe continuation.resume() }
        }
        return try await InstantLoader().load(request)
    }

    func release() {
        let waiting = unsafe state.withLock { state in
            state.isReleased = true
            defer { unsafe state.waiting = [] }
            return unsafe state.waiting
        }
        unsafe waiting.forEach { unsafe $0.resume() }
    }
}
