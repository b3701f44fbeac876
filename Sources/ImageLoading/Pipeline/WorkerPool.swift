internal import Dispatch
internal import ImageCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

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
        let argument = unsafe Unmanaged.passRetained(queue).toOpaque()
        if unsafe !WorkerPool.spawn(argument) {
            // No thread is to be had: the dispatch pool's will do, as long as it takes.
            unsafe Unmanaged<Queue>.fromOpaque(argument).release()
            let queue = queue
            DispatchQueue.global().async { queue.work() }
        }
    }

    /// Starts a detached thread that works on the queue behind `argument` and releases it.
    private static func spawn(_ argument: UnsafeMutableRawPointer) -> Bool {
        // Raw room, which `pthread_attr_init` makes valid: the type's own initializer belongs to whichever system module
        // the compiler met first.
        return unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room in
            guard let attributes = room.baseAddress, unsafe pthread_attr_init(attributes) == 0 else { return false }
            defer { unsafe pthread_attr_destroy(attributes) }
            unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            // Codecs are written for the main thread's stack, not for the 512 KB that Apple gives others.
            unsafe pthread_attr_setstacksize(attributes, 8 << 20)
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            return unsafe pthread_create(&thread, attributes, workerThread, argument) == 0
        }
    }

    fileprivate static func run(_ argument: UnsafeMutableRawPointer) {
        unsafe Unmanaged<Queue>.fromOpaque(argument).takeRetainedValue().work()
    }
}

#if canImport(Darwin)
    private func workerThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        unsafe WorkerPool.run(argument)
        return nil
    }
#else
    private func workerThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument = unsafe argument { unsafe WorkerPool.run(argument) }
        return nil
    }
#endif
