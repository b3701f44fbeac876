import CalotypeTesting
import Dispatch
import ImageCore

import CalotypeSystem

/// A terminal of 80 × 24 characters; the test reads its screen and types on its keyboard. Swift does not import the
/// constants of Linux's pseudo-terminals (pts(4), ioctl_tty(2)).
final class PseudoTerminal: Sendable {
    /// The device that the command opens as its terminal.
    let path: String
    private let screen: Int32
    /// The output in chunks; `nil` follows when no process has the terminal open.
    private let chunks = EventLog<[UInt8]?>()

    /// `POSIX_SPAWN_SETSID`: the process leads a new session, and the first terminal that it opens becomes the
    /// session's terminal.
    static let newSession: Int16 = 0x80

    /// The variables that describe the terminal in which the tests run.
    static let variables = [
        "TERM", "COLORTERM", "NO_COLOR", "TMUX", "TERM_PROGRAM", "LC_TERMINAL", "KITTY_WINDOW_ID",
    ]

    /// - Parameter pixels: the size of the window in pixels; unknown by default.
    init(pixels: (width: UInt16, height: UInt16) = (0, 0)) throws {
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        let screen = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        self.screen = screen
        var (isLocked, number): (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: pixels.width, ws_ypixel: pixels.height)
        guard screen >= 0, unsafe ioctl(screen, setLock, &isLocked) == 0, unsafe ioctl(screen, getNumber, &number) == 0,
            unsafe ioctl(screen, UInt(TIOCSWINSZ), &size) == 0
        else { throw ImageError(.plugInFailed, message: "The system provides no pseudo-terminal.") }
        path = "/dev/pts/\(number)"
        DispatchQueue.global().async { [chunks] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe read(screen, &buffer, buffer.count)
                guard count > 0 else { break }
                chunks.append(Array(buffer[..<count]))
            }
            chunks.append(nil)
        }
    }

    deinit { close(screen) }

    /// The output so far, with the line ends that the command wrote.
    var text: String { PseudoTerminal.text(chunks.events) }

    /// The whole output, when the command has ended.
    func all() async -> String {
        await chunks.wait { $0.last == .some(nil) }
        return text
    }

    /// Waits until the output satisfies a condition or ends.
    func wait(until condition: @escaping @Sendable (String) -> Bool) async {
        await chunks.wait { $0.contains(nil) || condition(PseudoTerminal.text($0)) }
    }

    /// The settings of the terminal for its input, such as whether it echoes keys.
    var flags: tcflag_t {
        var settings = termios()
        _ = unsafe tcgetattr(screen, &settings)
        return settings.c_lflag
    }

    /// Sends input to the command.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(screen, bytes, bytes.count)
    }

    private static func text(_ chunks: [[UInt8]?]) -> String {
        // A chunk may end within a character, so the chunks are joined before they are decoded.
        String(decoding: chunks.compactMap { $0 }.joined(), as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
