internal import Dispatch
import ImageCore
import ProjectFiles

internal import CalotypeSystem

/// The result of one run of the built `calotype` in a separate process.
struct CommandRun: Sendable {
    enum Ending: Hashable, Sendable {
        case status(Int32)
        case signal(Int32)
    }

    let ending: Ending
    let output: String
    let errors: String
    let time: Duration
    /// The processor time of all threads.
    let processorTime: Duration
    /// The largest resident set in bytes; 0 if it was not measured.
    let peakMemory: Int

    var status: Int32? { if case .status(let status) = ending { status } else { nil } }
    var outputLines: [Substring] { output.split(separator: "\n") }
    var errorLines: [Substring] { errors.split(separator: "\n") }
}

/// A running `calotype`.
final class CommandProcess: Sendable {
    private let identifier: pid_t
    private let folder: ScratchFolder
    private let start = ContinuousClock.now

    /// Starts the command. Its output goes to the terminal, or without one to files, so that the command never waits
    /// for a reader.
    ///
    /// - Parameters:
    ///   - shell: what a shell runs before it becomes the command, such as `ulimit -f 1`.
    ///   - measuresMemory: whether a parent process measures the peak memory. Signals then go to that process.
    init(
        _ arguments: [String], environment: [String: String] = [:], on terminal: PseudoTerminal? = nil,
        after shell: String? = nil, measuresMemory: Bool = false
    ) throws {
        let folder = try ScratchFolder()
        self.folder = folder
        var actions = unsafe posix_spawn_file_actions_t.empty
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let terminal {
            for descriptor in Int32(0)...2 {
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, terminal.path, O_RDWR, 0)
            }
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            for (descriptor, name) in [(Int32(1), "output"), (2, "errors")] {
                unsafe posix_spawn_file_actions_addopen(
                    &actions, descriptor, folder.file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            }
        }
        // A shell ignores interrupts for background jobs; the command must not inherit that.
        var attributes = posix_spawnattr_t.empty
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        // Threads that run tests block signals; the command must not inherit that either.
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        let session = terminal == nil ? 0 : PseudoTerminal.newSession
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | session)
        // The command uses neither the user's cache nor a proxy.
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
        variables["XDG_CACHE_HOME"] = folder.file("cache")
        variables["SWIFT_BACKTRACE"] = "enable=no"
        if terminal != nil { for name in PseudoTerminal.variables { variables[name] = nil } }
        variables.merge(environment) { _, new in new }
        var child: pid_t = 0
        var command = try [Self.binary("calotype")] + arguments
        if let shell { command = ["/bin/sh", "-c", shell + "; exec \"$0\" \"$@\""] + command }
        let words = measuresMemory ? try [Self.binary("PeakMemory"), folder.file("peak")] + command : command
        let status = unsafe withCStrings(words) { argv in
            unsafe withCStrings(variables.map { "\($0.key)=\($0.value)" }) { envp in
                unsafe posix_spawn(&child, words[0], &actions, &attributes, argv, envp)
            }
        }
        guard status == 0 else { throw ImageError(.plugInFailed, message: "posix_spawn failed with \(status).") }
        identifier = child
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandRun {
        try await CommandProcess(arguments, environment: environment).end()
    }

    static func measure(_ arguments: String...) async throws -> CommandRun {
        try await CommandProcess(arguments, measuresMemory: true).end()
    }

    func send(signal: Int32) { _ = kill(identifier, signal) }

    /// Waits for the end without blocking the caller's thread.
    func end() async throws -> CommandRun {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in continuation.resume(returning: wait()) }
        }
    }

    /// Waits for the end and blocks the thread.
    func wait() -> CommandRun {
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        let time = ContinuousClock.now - start
        let signal = status & 0x7F
        return CommandRun(
            ending: signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal), output: folder.text("output"),
            errors: folder.text("errors"), time: time,
            processorTime: Self.duration(usage.ru_utime) + Self.duration(usage.ru_stime),
            peakMemory: Int(folder.text("peak").dropLast()) ?? 0)
    }

    private static func duration(_ time: timeval) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }

    /// The path of a program that was built with the test bundle.
    private static func binary(_ name: String) throws -> String {
        let folders =
            [CommandLine.arguments[0]]
            .map { URL(filePath: $0).deletingLastPathComponent().path } + [Project.root + "/.build/debug"]
        guard let path = folders.map({ $0 + "/" + name }).first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else {
            throw ImageError(.fileUnreadable, message: "There is no \(name) in \(folders); build it first.")
        }
        return path
    }
}

/// Paths of the project.
enum Project {
    static let root = ProjectFiles.root.path

    /// The path of an image of the demo's gallery.
    static func image(_ name: String) -> String { ProjectFiles.gallery.appending(path: name).path }

    static func bytes(of name: String) throws -> Data { try Data(contentsOf: URL(filePath: image(name))) }
}

/// A new directory that is removed with its owner.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "calotype-tests-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func text(_ name: String) -> String { String(decoding: data(name), as: UTF8.self) }

    func data(_ name: String) -> Data { (try? Data(contentsOf: URL(filePath: file(name)))) ?? Data() }

    /// Writes a file and returns its path.
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        return file(name)
    }

    /// The sorted names of its files, including hidden ones.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// Calls `body` with an array of C strings that ends with a null pointer.
private func withCStrings<R>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
        unsafe buffer.baseAddress.map { unsafe body(UnsafePointer($0)) }.unsafelyUnwrapped
    }
}

extension posix_spawn_file_actions_t {
    #if canImport(Darwin)
        fileprivate static var empty: posix_spawn_file_actions_t? { unsafe nil }
    #else
        fileprivate static var empty: posix_spawn_file_actions_t { unsafe posix_spawn_file_actions_t() }
    #endif
}

extension posix_spawnattr_t {
    #if canImport(Darwin)
        fileprivate static var empty: posix_spawnattr_t? { nil }
    #else
        fileprivate static var empty: posix_spawnattr_t { posix_spawnattr_t() }
    #endif
}
