internal import CalotypeSystem
internal import ImageCore
internal import ImageTargets

/// Detects the capabilities of the terminal behind standard output.
enum TerminalProbe {
    /// The environment variable with the time to wait for answers, in milliseconds. The default is 200; a terminal on a
    /// slow connection needs more.
    static let timeVariable = "CALOTYPE_TERMINAL_TIME"

    /// The time to wait for answers, from 0 to 60,000 milliseconds.
    static var milliseconds: Int32 {
        min(max(0, ProcessInfo.processInfo.environment[timeVariable].flatMap { Int32($0) } ?? 200), 60_000)
    }

    /// The capabilities that the environment names, and those that the terminal reports in time.
    static func terminal() -> Terminal {
        let environment = ProcessInfo.processInfo.environment
        let size = Console.size ?? (columns: 80, rows: 25)
        var terminal = Terminal(
            environment: environment, isTerminal: Console.isTerminal, size: size, pixels: Console.windowSize)
        if !terminal.query.isEmpty, let answers = answers(to: terminal.query, within: milliseconds) {
            terminal.update(from: answers)
        }
        return terminal
    }

    /// Writes the query, and reads until the answers are complete or the time is over; at most 4 KB. `nil` without a
    /// terminal, and for a background job, which the system stops when it changes the terminal's settings.
    private static func answers(to query: String, within milliseconds: Int32) -> [UInt8]? {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var before = termios()
        guard tcgetpgrp(terminal) == getpgrp(), unsafe tcgetattr(terminal, &before) == 0 else { return nil }
        // The answers arrive at once instead of by lines, and are not echoed.
        var settings = before
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        guard unsafe tcsetattr(terminal, TCSANOW, &settings) == 0 else { return nil }
        defer { _ = unsafe tcsetattr(terminal, TCSAFLUSH, &before) }
        guard Console.writeAll(query, to: terminal) == nil else { return nil }
        let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
        var answers: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        while answers.count < 4096, !Terminal.isComplete(answers) {
            var poller = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            let rest = Int32(clamping: Int(((end - ContinuousClock.now) / .milliseconds(1)).rounded(.up)))
            guard rest > 0, unsafe poll(&poller, 1, rest) > 0 else { break }
            let count = unsafe read(terminal, &buffer, buffer.count)
            guard count > 0 else { break }
            answers += buffer.prefix(count)
        }
        return answers
    }
}
