internal import ImageCore
internal import ImageTargets

/// Detects the capabilities of the terminal behind standard output.
enum TerminalProbe {
    /// The environment variable with the time to wait for answers, in milliseconds. The default is 200; a terminal on a
    /// slow connection needs more.
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
        guard let terminal = RawTerminal() else { return nil }
        defer { terminal.restore() }
        guard terminal.write(query) else { return nil }
        let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
        var answers: [UInt8] = []
        while answers.count < 4096, !Terminal.isComplete(answers) {
            guard let more = terminal.read(within: end - ContinuousClock.now), !more.isEmpty else { break }
            answers += more
        }
        return answers
    }
}
