/// Threads for work that waits or takes long, which Swift's cooperative pool has no room for: nobody joins them.
package enum DetachedThread {
    /// Runs `body` on a thread of its own.
    ///
    /// - Parameters:
    ///   - stackBytes: of its stack; `nil` for the system's choice, which on Apple platforms is half a megabyte.
    ///   - blocksBrokenPipes: whether `SIGPIPE` never reaches it: a TLS library that writes to a closed socket raises the
    ///     signal on the thread that wrote.
    /// - Returns: `false` where the system gives no thread; `body` is then not run.
    package static func start(
        stackBytes: Int? = nil, blocksBrokenPipes: Bool = false, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let job = unsafe Unmanaged.passRetained(Job(blocksBrokenPipes: blocksBrokenPipes, body: body))
        // Raw room, which `pthread_attr_init` makes valid: the type's own initializer belongs to whichever system module
        // the compiler met first.
        let isStarted = unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room in
            guard let attributes = room.baseAddress, unsafe pthread_attr_init(attributes) == 0 else { return false }
            defer { unsafe pthread_attr_destroy(attributes) }
            unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            if let stackBytes { unsafe pthread_attr_setstacksize(attributes, stackBytes) }
            var thread = CLibrary.noThread
            return unsafe pthread_create(&thread, attributes, runJob, job.toOpaque()) == 0
        }
        if !isStarted { unsafe job.release() }
        return isStarted
    }
}

private final class Job: Sendable {
    private let blocksBrokenPipes: Bool
    private let body: @Sendable () -> Void

    init(blocksBrokenPipes: Bool, body: @escaping @Sendable () -> Void) {
        (self.blocksBrokenPipes, self.body) = (blocksBrokenPipes, body)
    }

    func run() {
        if blocksBrokenPipes {
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        }
        body()
    }
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
