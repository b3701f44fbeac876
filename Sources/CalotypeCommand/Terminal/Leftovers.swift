internal import Dispatch
internal import ImageCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What must be undone however the process ends: files that are half written, programs that run beside, and the
/// terminal's hidden cursor.
enum Leftovers {
    private struct State {
        var files: Set<String> = []
        var children: Set<pid_t> = []
        var isCursorHidden = false
        /// Set by the end of the process: nothing is left behind from then on, since nothing new is begun.
        var isOver = false
    }

    private static let state = Lock(State())

    /// Notes a file to remove, or a directory with all that is in it. Returns `false` when the process is ending: the file must then not be made.
    static func add(file path: String) -> Bool {
        state.withLock { state in
            if !state.isOver { state.files.insert(path) }
            return !state.isOver
        }
    }

    static func forget(file path: String) { state.withLock { _ = $0.files.remove(path) } }

    /// Notes a program that is to end with this one.
    static func add(child: pid_t) {
        let isOver = state.withLock { state in
            state.children.insert(child)
            return state.isOver
        }
        if isOver { _ = kill(child, SIGTERM) }
    }

    static func forget(child: pid_t) { state.withLock { _ = $0.children.remove(child) } }

    static func setCursorHidden(_ isHidden: Bool) {
        let isOver = state.withLock { state in
            state.isCursorHidden = isHidden
            return state.isOver
        }
        if !isOver || !isHidden { Console.writeError(isHidden ? "\u{1B}[?25l" : "\u{1B}[?25h") }
    }

    /// Undoes everything, once and for all.
    static func removeAll() {
        let (files, children, isCursorHidden) = state.withLock { state in
            defer { (state.files, state.children, state.isCursorHidden, state.isOver) = ([], [], false, true) }
            return (state.files, state.children, state.isCursorHidden)
        }
        for child in children { _ = kill(child, SIGTERM) }
        for path in files { try? FileManager.default.removeItem(atPath: path) }
        if isCursorHidden { Console.writeError("\r\u{1B}[J\u{1B}[?25h") }
    }

    /// Makes interrupt, hang-up and termination clean up, and then end the process by the same signal as they would have.
    /// A broken pipe becomes a failed write. To be called before anything starts a thread: the signals are blocked, which
    /// threads inherit, and one thread waits for them.
    static func cleanUpOnSignals() {
        _ = signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // What the caller chose to ignore (`nohup`, a background job) stays ignored.
            var before = sigaction()
            guard unsafe sigaction(number, nil, &before) == 0, !isIgnoring(before) else { continue }
            unsafe sigaddset(&signals, number)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        DispatchQueue(label: "calotype.signals").async { [signals] in
            var signals = signals
            var number: Int32 = 0
            guard unsafe sigwait(&signals, &number) == 0 else { return }
            removeAll()
            _ = signal(number, SIG_DFL)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            _ = raise(number)
        }
    }

    private static func isIgnoring(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
            let handler = unsafe action.__sigaction_u.__sa_handler
        #else
            let handler = unsafe action.__sigaction_handler.sa_handler
        #endif
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
