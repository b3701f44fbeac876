internal import Dispatch

/// Runs blocking work on Dispatch's threads. On Swift's cooperative pool it would occupy a thread that all loads share.
enum BlockingWork {
    static func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
