internal import Calotype
internal import Foundation

/// A program that could not be started.
struct MissingProgram: Error {
    let name: String
    /// Whether a suite cannot run without it. Otherwise it is a peer, whose cells stay empty.
    var isNeeded = false
}

/// A program that a benchmark runs.
struct ChildProcess: Sendable {
    /// The cost of the process.
    struct Usage: Sendable {
        let status: Int32
        let processorTime: Duration
        /// The part in user mode.
        let userTime: Duration
    }

    /// The processes that were started and not yet waited for.
    private static let running = Lock<Set<pid_t>>([])

    let identifier: pid_t

    /// Starts a program from `PATH` without input. Its output goes to `output`, and its errors are discarded.
    init(_ command: [String], output: String = "/dev/null") throws(MissingProgram) {
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
        // Threads of Swift's pool block signals, and a child that inherits this cannot be terminated.
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // Signals that this process ignores, because it handles them in another way, end a child.
        var interruptions = none
        unsafe sigaddset(&interruptions, SIGINT)
        unsafe sigaddset(&interruptions, SIGTERM)
        unsafe posix_spawnattr_setsigdefault(&attributes, &interruptions)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawnp(&child, command[0], &actions, &attributes, &words, environ) == 0 else {
            throw MissingProgram(name: command[0])
        }
        identifier = child
        Self.running.withLock { _ = $0.insert(child) }
    }

    /// Blocks the thread until the process has ended.
    func wait() -> Usage {
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        Self.running.withLock { _ = $0.remove(identifier) }
        return Usage(status: status, processorTime: usage.processorTime, userTime: usage.userTime)
    }

    /// Ends all processes that run, before this process ends early.
    static func terminateAll() {
        for identifier in running.withLock({ $0 }) { kill(identifier, SIGTERM) }
    }

    func terminate() {
        _ = kill(identifier, SIGTERM)
        _ = wait()
    }
}
