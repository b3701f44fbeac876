/// Starts detached threads, for work that blocks or takes long and must not run on Swift's cooperative pool.
package enum DetachedThread {
    /// Runs `body` on a new thread.
    ///
    /// - Parameters:
    ///   - stackBytes: the size of the stack in bytes; `nil`, the default, for that of the system (512 KB on Apple
    ///     platforms).
    ///   - blocksBrokenPipes: whether the thread blocks `SIGPIPE`, which a TLS library raises when it writes to a
    ///     closed socket; `false`.
    ///   - body: the work.
    /// - Returns: `false` if the system could not create a thread; `body` is then not run.
    package static func start(
        stackBytes: Int? = nil, blocksBrokenPipes: Bool = false, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let job = unsafe Unmanaged.passRetained(
            Job {
                if blocksBrokenPipes { blockBrokenPipes() }
                body()
            })
        // Uninitialized memory, which `pthread_attr_init` initializes. Several system modules declare an initializer of
        // the type, and the compiler may reject the one that it finds first.
        let isStarted = unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress, unsafe pthread_attr_init(attributes) == 0 else { return false }
            defer { unsafe pthread_attr_destroy(attributes) }
            unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            if let stackBytes { unsafe pthread_attr_setstacksize(attributes, stackBytes) }
            var thread = CLibrary.noThread
            return unsafe pthread_create(&thread, attributes, runJob, job.toOpaque()) == 0
        }
        if !isStarted { unsafe job.release() }
        return isStarted
    }

    /// Identifies the calling thread among those that run.
    package static var currentID: UInt { unsafe withUnsafeBytes(of: pthread_self()) { unsafe $0.load(as: UInt.self) } }
}

private final class Job: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func blockBrokenPipes() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}

#if canImport(Darwin)
    private func runJob(_ job: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run()
        return nil
    }
#else
    private func runJob(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let job = unsafe job { unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run() }
        return nil
    }
#endif
