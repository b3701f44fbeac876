internal import CalotypeSystem
internal import ImageCore

/// What must be undone however the process ends: files that are half written, and the terminal's hidden cursor.
///
/// The first of them makes interrupt, hang-up and termination clean up, and then end the process by the same signal as they
/// would have; until then they simply end it. A command that leaves nothing behind thus starts no thread.
enum Leftovers {
    private struct State {
        var files: [String] = []
        var isCursorHidden = false
        var isWatching = false
        /// Set by the end of the process: nothing is left behind from then on, since nothing new is begun.
        var isOver = false
    }

    private static let state = Lock(State())

    /// Notes a file to remove, or a directory with all that is in it. Returns `false` when the process is ending: the file must then not be made.
    static func add(file path: String) -> Bool {
        state.withLock { state in
            watch(&state)
            if !state.isOver { state.files.append(path) }
            return !state.isOver
        }
    }

    static func forget(file path: String) { state.withLock { $0.files.removeAll { $0 == path } } }

    static func setCursorHidden(_ isHidden: Bool) {
        let isOver = state.withLock { state in
            watch(&state)
            state.isCursorHidden = isHidden
            return state.isOver
        }
        if !isOver || !isHidden { Console.writeError(isHidden ? "\u{1B}[?25l" : "\u{1B}[?25h") }
    }

    /// Undoes everything, once and for all.
    static func removeAll() {
        let (files, isCursorHidden) = state.withLock { state in
            defer { (state.files, state.isCursorHidden, state.isOver) = ([], false, true) }
            return (state.files, state.isCursorHidden)
        }
        for path in files { try? FileManager.default.removeItem(atPath: path) }
        if isCursorHidden { Console.writeError("\r\u{1B}[J\u{1B}[?25h") }
    }

    /// A signal handler may do next to nothing: it writes the signal's number to a thread that waits for it.
    private static func watch(_ state: inout State) {
        guard !state.isWatching else { return }
        state.isWatching = true
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        let (numbers, told) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let isStarted = DetachedThread.start {
            // Threads that run tasks block all signals, which this one has from the thread that started it.
            var signals = sigset_t()
            unsafe sigfillset(&signals)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            var number: Int32 = 0
            while unsafe read(numbers, &number, 4) < 0, errno == EINTR {}
            removeAll()
            _ = signal(number, SIG_DFL)
            _ = raise(number)
        }
        guard isStarted else { return }
        unsafe signalPipe = told
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // What the caller chose to ignore (`nohup`, a background job) stays ignored.
            var before = sigaction()
            guard unsafe sigaction(number, nil, &before) == 0, !isIgnoring(before) else { continue }
            _ = signal(number) { number in
                var (number, reason) = (number, errno)
                _ = unsafe write(signalPipe, &number, 4)
                errno = reason
            }
        }
    }

    private static func isIgnoring(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(CLibrary.handler(of: action), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The pipe that the signal handler writes to.
// nonisolated(unsafe) because it is written once, before the handler is installed that reads it.
nonisolated(unsafe) private var signalPipe: Int32 = -1
