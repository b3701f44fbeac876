internal import Dispatch

/// Heavy work away from Swift's cooperative pool, whose few threads would stall every load.
enum BlockingWork {
    static func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
