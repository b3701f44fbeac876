internal import Calotype
internal import Foundation

/// The switches between threads of a cold load and nothing else: a task of the caller waits, a new task passes a
/// closure to a thread outside of Swift's pool, and that thread resumes the first.
///
/// A cold load cannot do with fewer, since a network layer may block the caller's thread and a decoder blocks the
/// thread that it runs on.
final class HandOvers: Sendable {
    private typealias Job = @Sendable () -> Void

    private let jobs = Lock<[Job]>([])
    private let wakeUps = DispatchSemaphore(value: 0)

    init() { Thread { self.work() }.start() }

    /// Runs the closures until one is missing.
    private func work() {
        while true {
            wakeUps.wait()
            guard let job = jobs.withLock({ $0.popLast() }) else { return }
            job()
        }
    }

    func make() async {
        await withCheckedContinuation { continuation in
            Task {
                jobs.withLock { $0.append { continuation.resume() } }
                wakeUps.signal()
            }
        }
    }

    func end() { wakeUps.signal() }
}
