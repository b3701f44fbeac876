internal import ImageCore

internal import CalotypeSystem

/// A program that a benchmark runs beside itself.
struct ChildProcess: Sendable {
    /// What it took.
    struct Usage: Sendable {
        let status: Int32
        let processorTime: Duration
        /// Of that, in user mode.
        let userTime: Duration
    }

    let identifier: pid_t

    /// Starts a program found on `PATH`, with nothing to read; what it writes goes to `output`, and its errors nowhere.
    init(_ name: String, _ arguments: [String], output: String = "/dev/null") throws(ImageError) {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // A thread of the pool blocks signals, and a child that inherits that cannot be ended.
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let status = unsafe posix_spawnp(&child, name, &actions, &attributes, &words, environ)
        guard status == 0 else {
            throw ImageError(.unsupportedFeature, message: "\(name) could not be started (error \(status)); install it.")
        }
        identifier = child
        Leftovers.add(child: child)
    }

    /// Waits for its end, blocking the thread.
    func wait() -> Usage {
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        Leftovers.forget(child: identifier)
        return Usage(status: status, processorTime: usage.processorTime, userTime: usage.userTime)
    }

    func terminate() {
        _ = kill(identifier, SIGTERM)
        _ = wait()
    }
}

/// Processor time, of all threads.
enum ProcessorTime {
    /// What this process has taken so far.
    static var ofThisProcess: Duration { rusage.ofThisProcess.processorTime }
}

extension rusage {
    /// Of this process so far.
    static var ofThisProcess: rusage {
        var usage = rusage()
        // RUSAGE_SELF, which is a number here and an enumeration there.
        _ = unsafe getrusage(0, &usage)
        return usage
    }

    /// In user and kernel mode.
    var processorTime: Duration { Self.duration(ru_utime) + Self.duration(ru_stime) }

    var userTime: Duration { Self.duration(ru_utime) }

    private static func duration(_ time: timeval) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
