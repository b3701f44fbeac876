import CalotypeTesting
import Dispatch
import ImageCore

import CalotypeSystem

/// A terminal of 80 × 24 characters, of which the test is the screen and the keyboard; Linux's (pts(4), ioctl_tty(2)), whose
/// names Swift's view of the C library leaves out.
final class PseudoTerminal: Sendable {
    /// What the command opens as its terminal.
    let path: String
    private let screen: Int32
    /// Ends with `nil` when nobody has the terminal open any more.
    private let pieces = EventLog<[UInt8]?>()

    /// `POSIX_SPAWN_SETSID`: the process leads a session, whose terminal is the first that it opens.
    static let newSession: Int16 = 0x80

    /// What the user's own terminal would tell of itself.
    static let variables = [
        "TERM", "COLORTERM", "NO_COLOR", "TMUX", "TERM_PROGRAM", "LC_TERMINAL", "KITTY_WINDOW_ID",
    ]

    init() throws {
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        let screen = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        self.screen = screen
        var (isLocked, number): (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard screen >= 0, unsafe ioctl(screen, setLock, &isLocked) == 0, unsafe ioctl(screen, getNumber, &number) == 0,
            unsafe ioctl(screen, UInt(TIOCSWINSZ), &size) == 0
        else { throw ImageError(.plugInFailed, message: "The system gives no terminal.") }
        path = "/dev/pts/\(number)"
        DispatchQueue.global().async { [pieces] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe read(screen, &buffer, buffer.count)
                guard count > 0 else { break }
                pieces.append(Array(buffer[..<count]))
            }
            pieces.append(nil)
        }
    }

    deinit { close(screen) }

    /// Everything written so far, with line ends as the command wrote them.
    var text: String { PseudoTerminal.text(pieces.events) }

    /// Everything written, once the command has ended.
    func all() async -> String {
        await pieces.wait { $0.last == .some(nil) }
        return text
    }

    /// Returns as soon as what was written satisfies a condition, or nothing more can come.
    func wait(until condition: @escaping @Sendable (String) -> Bool) async {
        await pieces.wait { $0.contains(nil) || condition(PseudoTerminal.text($0)) }
    }

    /// As if typed, or answered.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(screen, bytes, bytes.count)
    }

    private static func text(_ pieces: [[UInt8]?]) -> String {
        // Pieces may end within a character.
        String(decoding: pieces.compactMap { $0 }.joined(), as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
