internal import CalotypeSystem
internal import ImageCore

/// Removes temporary files and shows the terminal's cursor, however the process ends.
///
/// The first registration installs handlers for SIGINT, SIGHUP and SIGTERM, which clean up and then end the process by
/// the same signal. Before that, the default actions end it, so that a command with nothing to clean up starts no
/// thread.
enum ExitCleanup {
    private struct State {
        var files: [String] = []
        /// The descriptor of the terminal whose cursor is hidden.
        var hiddenCursor: Int32?
        /// Whether text is being written that a signal should not cut in two.
        var isWriting = false
        var handlesSignals = false
        /// Once the process is exiting, nothing new is registered.
        var isExiting = false
    }

    private static let state = Lock(State())

    /// Registers a file, or a directory with its contents, for removal. Returns `false` when the process is exiting:
    /// the caller must then not create the file.
    static func add(file path: String) -> Bool {
        state.withLock { state in
            handleSignals(&state)
            if !state.isExiting { state.files.append(path) }
            return !state.isExiting
        }
    }

    static func remove(file path: String) { state.withLock { $0.files.removeAll { $0 == path } } }

    /// - Parameter descriptor: the terminal; standard error by default.
    static func setCursorHidden(_ isHidden: Bool, on descriptor: Int32 = STDERR_FILENO) {
        let isExiting = state.withLock { state in
            handleSignals(&state)
            // While the process is exiting, `run()` shows the cursor.
            if !state.isExiting { state.hiddenCursor = isHidden ? descriptor : nil }
            return state.isExiting
        }
        if !isExiting { _ = Console.writeAll(isHidden ? "\u{1B}[?25l" : "\u{1B}[?25h", to: descriptor) }
    }

    /// Writes text to standard output as a whole: a signal ends the process only afterwards, unless the terminal is
    /// stuck. Writes nothing once the process is exiting.
    static func writeWhole(_ text: String) {
        let isExiting = state.withLock { state in
            state.isWriting = !state.isExiting
            return state.isExiting
        }
        guard !isExiting else { return }
        Console.write(text)
        state.withLock { $0.isWriting = false }
    }

    /// Cleans up; later calls do nothing.
    static func run() {
        let (files, hiddenCursor) = state.withLock { state in
            defer { (state.files, state.hiddenCursor, state.isExiting) = ([], nil, true) }
            return (state.files, state.hiddenCursor)
        }
        for path in files { try? FileManager.default.removeItem(atPath: path) }
        if let hiddenCursor { _ = Console.writeAll("\r\u{1B}[J\u{1B}[?25h", to: hiddenCursor) }
    }

    /// Installs the handlers. A signal handler may call very few functions, so it only writes the signal's number to a
    /// pipe that a thread reads.
    private static func handleSignals(_ state: inout State) {
        guard !state.handlesSignals else { return }
        state.handlesSignals = true
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        let readEnd = ends[0]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let isStarted = DetachedThread.start {
            // Threads that run tasks block all signals, and this thread inherits the mask of the thread that starts it.
            var signals = sigset_t()
            unsafe sigfillset(&signals)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            var number: Int32 = 0
            while unsafe read(readEnd, &number, 4) < 0, errno == EINTR {}
            endWriting()
            run()
            _ = signal(number, SIG_DFL)
            _ = raise(number)
        }
        guard isStarted else { return }
        unsafe signalPipe = ends[1]
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // A signal that the parent process ignores (`nohup`, a background job) stays ignored.
            var action = sigaction()
            guard unsafe sigaction(number, nil, &action) == 0, !isIgnored(action) else { continue }
            _ = signal(number) { number in
                var (number, reason) = (number, errno)
                _ = unsafe write(signalPipe, &number, 4)
                errno = reason
            }
        }
    }

    /// Waits for text that is being written, at most half a second or as long as for answers of the terminal, and lets
    /// no other text follow.
    private static func endWriting() {
        state.withLock { $0.isExiting = true }
        for _ in 0..<max(500, TerminalProbe.milliseconds) / 10 where state.withLock({ $0.isWriting }) { usleep(10_000) }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(CLibrary.handler(of: action), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The pipe that the signal handler writes to.
// nonisolated(unsafe) because it is written once, before the handler that reads it is installed.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// Cleans up and ends the process.
func exitProcess(_ status: ExitStatus) -> Never {
    ExitCleanup.run()
    exit(status.rawValue)
}
