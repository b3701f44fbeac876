internal import ImageCore
internal import ImageTargets

internal import CalotypeSystem

/// Standard output and standard error.
enum Console {
    /// Writes a line to standard output; a failure ends the process as in ``write(_:)``.
    static func print(_ line: String) { write(line + "\n") }

    /// Writes text unchanged to standard output. A failure ends the process with status 1, and with one line on
    /// standard error unless the reader of a pipe has closed it.
    static func write(_ text: String) {
        guard let error = writeAll(text, to: STDOUT_FILENO) else { return }
        if error != EPIPE { printError("Standard output cannot be written: \(unsafe String(cString: strerror(error))).") }
        exitProcess(.failed)
    }

    /// Opens /dev/null for each standard descriptor that the parent process closed. Otherwise the next file or socket
    /// would become standard output, and the output would be written into it.
    static func openClosedDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", O_RDONLY)
        }
    }

    /// Writes one line to standard error: `calotype: MESSAGE`, or `calotype: SOURCE: MESSAGE`.
    static func printError(_ message: String, source: String? = nil) {
        let prefix = source.map { Terminal.sanitized($0) + ": " } ?? ""
        writeError("calotype: \(prefix)\(Terminal.sanitized(message))\n")
    }

    /// Writes text unchanged to standard error.
    static func writeError(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal that can move its cursor; one with `TERM=dumb` cannot.
    static let showsProgress =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// The size of the terminal behind standard output or standard error, in characters; `nil` when neither is a
    /// terminal.
    static var size: (columns: Int, rows: Int)? { window.map { (Int($0.ws_col), Int($0.ws_row)) } }

    /// The size of that terminal's window in pixels; 0 × 0 where it is unknown.
    static var windowSize: PixelSize? { window.map { PixelSize(width: Int($0.ws_xpixel), height: Int($0.ws_ypixel)) } }

    private static var window: winsize? {
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            var window = winsize()
            if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 {
                return window
            }
        }
        return nil
    }

    static func writeAll(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { unsafe CalotypeCommand.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}

/// Writes all bytes to a descriptor, and waits where it is full. Returns the system's error code, or `nil` on success.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    unsafe WholeWrite.run(bytes) { rest, _ in unsafe write(descriptor, rest.baseAddress, rest.count) }
}
