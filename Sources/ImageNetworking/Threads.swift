#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
// Some C libraries leave the thread types to whichever module includes their header first.
internal import CCalotypeCurl

enum Threads {
    /// Runs `body` on a detached thread of its own, which no `SIGPIPE` reaches; `false` where the system gives none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let job = unsafe Unmanaged.passRetained(Job(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let status = unsafe pthread_create(&thread, &attributes, runJob, job.toOpaque())
        if status != 0 { unsafe job.release() }
        return status == 0
    }
}

private final class Job: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runJob(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // A TLS library that writes to a closed socket raises the signal on the thread that wrote.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    if let job = unsafe job { unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run() }
    return nil
}
