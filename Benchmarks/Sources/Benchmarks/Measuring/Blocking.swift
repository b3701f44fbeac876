internal import Dispatch

/// Runs work that blocks its thread outside of Swift's pool, whose few threads the loads need.
func blocking<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: work)) }
    }
}
