internal import ImageCore
internal import ImageTargets

/// The progress of several loads as a value, so that tests can compare its lines.
struct ProgressBoard: Sendable {
    private struct Item: Sendable {
        let name: String
        var progress: LoadProgress?
    }

    private let total: Int
    private var running: [Int: Item] = [:]
    private var finishedCount = 0
    /// The bytes that finished loads received.
    private var finishedBytes = 0

    init(total: Int) { self.total = total }

    mutating func start(_ index: Int, name: String) { running[index] = Item(name: name) }

    mutating func advance(_ index: Int, to progress: LoadProgress) { running[index]?.progress = progress }

    mutating func end(_ index: Int) {
        guard let item = running.removeValue(forKey: index) else { return }
        finishedCount += 1
        finishedBytes += item.progress?.received ?? 0
    }

    /// A bar for each running load, oldest first and as many as fit, then one line for all loads if there are several.
    ///
    /// - Parameters:
    ///   - columns: the width of the terminal; no line is longer.
    ///   - rows: the maximum number of lines.
    func lines(columns: Int, rows: Int) -> [String] {
        let shown = running.sorted { $0.key < $1.key }.prefix(max(0, rows - 1))
        var lines = shown.map { bar(for: $0.value, columns: columns) }
        guard total != 1 else { return lines }
        let bytes = running.values.reduce(finishedBytes) { $0 + ($1.progress?.received ?? 0) }
        lines.append(String("\(finishedCount) of \(total) done, \(Units.bytes(bytes))".prefix(columns)))
        return lines
    }

    private func bar(for item: Item, columns: Int) -> String {
        let width = max(4, min(30, columns / 4))
        let fraction = item.progress?.fraction
        let filled = Int((fraction ?? 0) * Double(width))
        let bar = "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "]"
        let amount =
            if let fraction {
                "\(Int(fraction * 100))% of \(Units.bytes(item.progress?.expected ?? 0))"
            } else {
                Units.bytes(item.progress?.received ?? 0)
            }
        return String("\(bar) \(amount)  \(Terminal.sanitized(item.name))".prefix(columns))
    }
}

/// Draws the progress of several loads on standard error, in place, at most twenty times a second.
final class ProgressBars: Sendable {
    private struct State {
        var board: ProgressBoard
        var drawnLines = 0
        var lastDraw: ContinuousClock.Instant?
    }

    private let state: Lock<State>

    init(total: Int) {
        state = Lock(State(board: ProgressBoard(total: total)))
        ExitCleanup.setCursorHidden(true)
    }

    func update(_ change: @Sendable (inout ProgressBoard) -> Void) {
        // The lock is held while drawing, because two threads that draw at once would mix their lines.
        state.withLock { state in
            change(&state.board)
            let now = ContinuousClock.now
            if let last = state.lastDraw, now - last < .milliseconds(50) { return }
            state.lastDraw = now
            ProgressBars.draw(&state)
        }
    }

    /// Erases the bars, runs `write`, which prints whole lines, and draws the bars again below those lines.
    func printAbove(_ write: () -> Void) {
        state.withLock { state in
            ProgressBars.erase(&state)
            write()
            ProgressBars.draw(&state)
        }
    }

    /// Erases the bars and shows the cursor; later output begins where they were.
    func close() {
        state.withLock { ProgressBars.erase(&$0) }
        ExitCleanup.setCursorHidden(false)
    }

    private static func draw(_ state: inout State) {
        let size = Console.size ?? (columns: 80, rows: 24)
        let lines = state.board.lines(columns: max(8, size.columns - 1), rows: max(2, min(9, size.rows - 1)))
        Console.writeError(clearSequence(lines: state.drawnLines) + lines.joined(separator: "\n"))
        state.drawnLines = lines.count
    }

    private static func erase(_ state: inout State) {
        Console.writeError(clearSequence(lines: state.drawnLines))
        state.drawnLines = 0
    }

    /// Moves the cursor to the first of the drawn lines and clears the terminal from there.
    private static func clearSequence(lines: Int) -> String {
        "\r" + (lines > 1 ? "\u{1B}[\(lines - 1)A" : "") + "\u{1B}[J"
    }
}
