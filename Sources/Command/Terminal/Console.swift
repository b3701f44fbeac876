internal import ImageCore
internal import ImageTargets

internal import CalotypeSystem

/// Standard output and standard error.
enum Console {
    /// Writes a line to standard output. Ends the process quietly when the reader of a pipe has left.
    static func print(_ line: String) { write(line + "\n") }

    /// Writes text as it is to standard output. Where that fails, ends the process with one line on standard error, or with none
    /// when the reader of a pipe has left.
    static func write(_ text: String) {
        guard !write(Array(text.utf8), to: STDOUT_FILENO) else { return }
        let reason = errno
        if reason != EPIPE { complain("Standard output cannot be written: \(unsafe String(cString: strerror(reason))).") }
        exitProcess(.failed)
    }

    /// Opens the standard descriptors that the caller closed, for reading only: otherwise the next file or socket gets the number
    /// of standard output, and what is printed is written into it.
    static func fillClosedDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", O_RDONLY)
        }
    }

    /// Writes one line to standard error: `calotype: what happened`.
    static func complain(_ what: String) { writeError("calotype: \(Terminal.sanitized(what))\n") }

    /// Writes one line to standard error: `calotype: SOURCE: what happened`.
    static func complain(about source: String, _ what: String) { complain("\(Terminal.sanitized(source)): \(what)") }

    /// Writes text as it is to standard error.
    static func writeError(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal that can draw over its lines, which `TERM=dumb` denies.
    static let showsProgress =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Shows the current step on a terminal, on one line that the next one replaces; an empty text clears it.
    static func showProgress(_ text: String) {
        if showsProgress { writeError("\r\u{1B}[K" + text) }
    }

    /// The terminal behind standard output or standard error, in characters; `nil` where neither is one.
    static var size: (columns: Int, rows: Int)? {
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            var window = winsize()
            if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 {
                return (Int(window.ws_col), Int(window.ws_row))
            }
        }
        return nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]))
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}

/// The system's `write`, which the methods here would hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// Removes what must not stay behind, and ends the process.
func exitProcess(_ status: ExitStatus) -> Never {
    Leftovers.removeAll()
    exit(status.rawValue)
}
