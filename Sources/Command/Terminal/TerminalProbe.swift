internal import ImageCore
internal import ImageTargets

internal import CalotypeSystem

/// Finds out what the terminal behind standard output can show.
enum TerminalProbe {
    /// How long the answers are waited for, in milliseconds: more than the usual 200 for a terminal at the end of a slow line.
    static let timeVariable = "CALOTYPE_TERMINAL_TIME"

    /// From the environment, and from the terminal's own answers where it gives them within the time.
    static func terminal() -> Terminal {
        let environment = ProcessInfo.processInfo.environment
        let milliseconds = min(max(0, environment[timeVariable].flatMap { Int32($0) } ?? 200), 60_000)
        let size = Console.size ?? (columns: 80, rows: 25)
        var terminal = Terminal(environment: environment, isTerminal: Console.isTerminal, size: size)
        // Asking makes sense only where the answers can be read and the terminal is one that answers.
        if terminal.graphics != .none, let answers = ask(for: milliseconds) { terminal.update(from: answers) }
        return terminal
    }

    /// Writes the query and reads until the answers are complete or the time is over; at most 4 KB.
    private static func ask(for milliseconds: Int32) -> [UInt8]? {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // A background job that changed the terminal would be stopped.
        guard tcgetpgrp(descriptor) == getpgrp() else { return nil }
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return nil }
        var raw = before
        // Answers come as keys would: not echoed, and not kept until a line ends.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
        guard unsafe tcsetattr(descriptor, TCSANOW, &raw) == 0 else { return nil }
        defer { _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &before) }
        let query = Array(Terminal.query.utf8)
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
