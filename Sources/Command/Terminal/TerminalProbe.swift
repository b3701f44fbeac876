internal import ImageCore
internal import ImageTargets

internal import CalotypeSystem

/// Detects the capabilities of the terminal behind standard output.
enum TerminalProbe {
    /// The environment variable with the time to wait for answers, in milliseconds. The default is 200; a terminal on a slow connection
    /// needs more.
    static let timeVariable = "CALOTYPE_TERMINAL_TIME"

    /// The capabilities that the environment names, and those that the terminal reports in time.
    static func terminal() -> Terminal {
        let environment = ProcessInfo.processInfo.environment
        let milliseconds = min(max(0, environment[timeVariable].flatMap { Int32($0) } ?? 200), 60_000)
        let size = Console.size ?? (columns: 80, rows: 25)
        var terminal = Terminal(
            environment: environment, isTerminal: Console.isTerminal, size: size, pixels: Console.windowSize)
        if !terminal.query.isEmpty, let answers = answers(to: terminal.query, within: milliseconds) {
            terminal.update(from: answers)
        }
        return terminal
    }

    /// Writes the query, and reads until the answers are complete or the time is over; at most 4 KB.
    private static func answers(to query: String, within milliseconds: Int32) -> [UInt8]? {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The system stops a background job that changes the terminal's settings.
        guard tcgetpgrp(descriptor) == getpgrp() else { return nil }
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return nil }
        var raw = before
        // Answers arrive as input: the terminal must neither echo them nor hold them until a line ends.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
        guard unsafe tcsetattr(descriptor, TCSANOW, &raw) == 0 else { return nil }
        defer { _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &before) }
        let query = Array(query.utf8)
        guard unsafe write(descriptor, query, query.count) == query.count else { return nil }

        let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
        var answers: [UInt8] = []
        while answers.count < 4096, !Terminal.isComplete(answers) {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > 0, unsafe poll(&poller, 1, Int32(left) + 1) > 0 else { break }
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            answers += buffer.prefix(count)
        }
        return answers
    }
}
