internal import CalotypeThreads
internal import Dispatch
internal import ImageCore

/// The loader's own threads, on which decoding and processing run: never on Swift's cooperative pool, where one long
/// decode on each core would stop everything.
///
/// The graph hands out no more jobs than there are threads, so that the order of work is decided there and this queue
/// stays short. Threads start with the first jobs and end with the pool.
final class WorkerPool: Sendable {
    typealias Job = @Sendable () -> Void

    /// Shared with the threads, which must not keep the pool itself alive.
    private final class Queue: Sendable {
        struct State {
            var jobs: [Job] = []
            var threads = 0
            /// Threads that have nothing to do and look out for a while, and those that sleep.
            var looking = 0
            var idle = 0
            var isClosed = false
        }

        private enum Turn {
            case job(Job)
            case lookOut
            case sleep
            case end
        }

        let state = Lock(State())
        let wakeUps = DispatchSemaphore(value: 0)
        let lookout = Lookout()

        /// Runs jobs until the pool is closed and nothing is left.
        func work() {
            var patience = Lookout.Patience(processors: ProcessInfo.processInfo.activeProcessorCount)
            // Whether this thread is one of those that look out.
            var isLooking = false
            while true {
                let seen = lookout.posts
                let turn = state.withLock { [isLooking, patience] state -> Turn in
                    if isLooking { state.looking -= 1 }
                    guard state.jobs.isEmpty else { return .job(state.jobs.removeFirst()) }
                    guard !state.isClosed else { return .end }
                    guard isLooking || patience.isOver else {
                        state.looking += 1
                        return .lookOut
                    }
                    state.idle += 1
                    return .sleep
                }
                let hasLooked = isLooking
                isLooking = false
                switch turn {
                case .job(let job):
                    if hasLooked { patience.looked(wasWorthIt: true) }
                    job()
                case .lookOut:
                    lookout.lookOut(since: seen, with: patience)
                    isLooking = true
                case .sleep:
                    if hasLooked { patience.looked(wasWorthIt: false) }
                    wakeUps.wait()
                case .end: return
                }
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

    /// Queues a job; it runs as soon as a thread is free.
    ///
    /// - Parameter place: a worker that ends its job looks into the queue next, and so no other one is woken.
    func submit(from place: Place, _ job: @escaping Job) {
        enum Need { case nothing, wakeUp, thread }
        let need = queue.state.withLock { state -> Need in
            state.jobs.append(job)
            guard place != .worker, state.jobs.count > state.looking else { return .nothing }
            if state.idle > 0 {
                state.idle -= 1
                return .wakeUp
            }
            guard state.threads < size else { return .nothing }
            state.threads += 1
            return .thread
        }
        queue.lookout.post()
        switch need {
        case .nothing: break
        case .wakeUp: queue.wakeUps.signal()
        case .thread: startThread()
        }
    }

    private func startThread() {
        let queue = queue
        // Codecs are written for the main thread's stack, not for the 512 KB that Apple gives others.
        if !DetachedThread.start(stackBytes: 8 << 20, { queue.work() }) {
            // No thread is to be had: the dispatch pool's will do, as long as it takes.
            DispatchQueue.global().async { queue.work() }
        }
    }
}
