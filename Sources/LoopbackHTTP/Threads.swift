#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

enum Threads {
    /// Runs `body` on a detached thread of its own; `false` where the system gives none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, 512 << 10)
        let job = unsafe Unmanaged.passRetained(Job(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let status = unsafe pthread_create(&thread, &attributes, runJob, job.toOpaque())
        #else
            var thread = pthread_t()
            let status = unsafe pthread_create(&thread, &attributes, runJob, job.toOpaque())
        #endif
        if status != 0 { unsafe job.release() }
        return status == 0
    }
}

private final class Job: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runJob(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // TLS writes without saying that a closed connection should raise no signal.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    if let job = unsafe job { unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run() }
    return nil
}
