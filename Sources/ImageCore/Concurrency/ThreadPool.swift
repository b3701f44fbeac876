internal import CalotypeSystem
internal import Dispatch

/// Threads for calls that compute or block: a decoder, a read of an archive, a query of a database. They must not run
/// on Swift's cooperative pool, where one such call on each core would hold up all other tasks.
///
/// ```swift
/// import ImageCore
///
/// struct Album: DataLoading {
///     let threads = ThreadPool(size: 4)
///     let read: @Sendable (URL) throws -> Data
///
///     func load(_ request: DataRequest) async throws -> DataResponse {
///         let data = try await threads.run { try read(request.url) }
///         return DataResponse(url: request.url, body: ByteStream(data))
///     }
/// }
/// ```
///
/// Threads start with the first calls and end with the pool. Calls that find no free thread wait in order. A pool of
/// one thread runs one call at a time, which suits a library that must not be called by two threads at once.
public final class ThreadPool: Sendable {
    /// A closure in a struct, because a collection allocates for each closure that is put in or taken out.
    private struct Job: Sendable {
        let run: @Sendable () -> Void
    }

    /// Shared with the threads, which must not keep the pool itself alive.
    private final class Queue: Sendable {
        struct State {
            var jobs: [Job] = []
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
                    if !state.jobs.isEmpty { return (state.jobs.removeFirst(), false) }
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

    /// Makes a pool without threads.
    ///
    /// - Parameter size: how many threads it may have, at least 1.
    public init(size: Int) { self.size = max(1, size) }

    deinit {
        let idle = queue.state.withLock { state in
            state.isClosed = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { queue.wakeUps.signal() }
    }

    /// Whether the calling thread is one of the pool's.
    package var isCurrent: Bool { queue.state.withLock { $0.ids.contains(DetachedThread.currentID) } }

    /// Queues a job; it runs as soon as a thread is free.
    package func submit(_ job: @escaping @Sendable () -> Void) {
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

    /// Runs a call on one of the threads and returns its result.
    ///
    /// - Parameter job: the call. It runs to its end, also where the task that waits for it is cancelled.
    /// - Throws: what the call throws, or `CancellationError` where the task was cancelled before.
    public func run<R: Sendable>(_ job: @escaping @Sendable () throws -> R) async throws -> R {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
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
