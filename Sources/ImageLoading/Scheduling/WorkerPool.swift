internal import CalotypeSystem
internal import DequeModule
internal import Dispatch
internal import ImageCore

/// The loader's worker threads, on which decoding and processing run: never on Swift's cooperative pool, where one long
/// decode on each core would block all other tasks.
///
/// The scheduler admits no more jobs than there are threads, so that the order of work is decided there and this queue
/// stays short. Threads start with the first jobs and end with the pool.
final class WorkerPool: Sendable {
    /// A closure in a struct, because a collection allocates for each closure that is put in or taken out.
    private struct Job: Sendable {
        let run: @Sendable () -> Void
    }

    /// Shared with the threads, which must not keep the pool itself alive.
    private final class Queue: Sendable {
        struct State {
            var jobs: Deque<Job> = []
            var threads = 0
            var idle = 0
            var isClosed = false
            /// All threads of the pool.
            var ids: [UInt] = []
        }

        let state = Lock(State())
        let wakeUps = DispatchSemaphore(value: 0)

        /// Runs jobs until the pool is closed and nothing is left.
        func work() {
            state.withLock { $0.ids.append(DetachedThread.currentID) }
            while true {
                let (job, isOver) = state.withLock { state -> (Job?, Bool) in
                    if let job = state.jobs.popFirst() { return (job, false) }
                    guard !state.isClosed else { return (nil, true) }
                    state.idle += 1
                    return (nil, false)
                }
                if isOver { return }
                if let job { job.run() } else { wakeUps.wait() }
            }
        }
    }

    private let queue = Queue()
    private let size: Int

    /// - Parameter size: threads, at least 1.
    init(size: Int) { self.size = max(1, size) }

    deinit {
        let idle = queue.state.withLock { state in
            state.isClosed = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { queue.wakeUps.signal() }
    }

    /// Whether the calling thread is one of the pool's.
    var isCurrent: Bool { queue.state.withLock { $0.ids.contains(DetachedThread.currentID) } }

    /// Queues a job; it runs as soon as a thread is free.
    func submit(_ job: @escaping @Sendable () -> Void) {
        enum Need { case nothing, wakeUp, thread }
        let need = queue.state.withLock { state -> Need in
            state.jobs.append(Job(run: job))
            if state.idle > 0 {
                state.idle -= 1
                return .wakeUp
            }
            guard state.threads < size else { return .nothing }
            state.threads += 1
            return .thread
        }
        switch need {
        case .nothing: break
        case .wakeUp: queue.wakeUps.signal()
        case .thread: startThread()
        }
    }

    /// Runs a job on one of the threads and returns its result.
    func run<R: Sendable>(_ job: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Result(catching: job)) }
        }
    }

    private func startThread() {
        let queue = queue
        // Codecs are written for the main thread's stack, not for the 512 KB that Apple gives others.
        if !DetachedThread.start(stackBytes: 8 << 20, { queue.work() }) {
            // The system gives no thread: use one of Dispatch's.
            DispatchQueue.global().async { queue.work() }
        }
    }
}
