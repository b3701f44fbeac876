internal import ImageCore
internal import ImageTargets

/// What the progress of several loads looks like at one moment: a value, so that its lines can be compared.
struct ProgressBoard: Sendable {
    private struct Item: Sendable {
        let name: String
        var progress: LoadProgress?
    }

    private let total: Int
    private var running: [Int: Item] = [:]
    private var ended = 0
    /// Of loads that have ended.
    private var bytes = 0

    init(total: Int) { self.total = total }

    mutating func start(_ index: Int, name: String) { running[index] = Item(name: name) }

    mutating func advance(_ index: Int, to progress: LoadProgress) { running[index]?.progress = progress }

    mutating func end(_ index: Int) {
        guard let item = running.removeValue(forKey: index) else { return }
        ended += 1
        bytes += item.progress?.received ?? 0
    }

    /// A bar for each running load, oldest first and as many as fit, then one line for all, unless there is only one load.
    ///
    /// - Parameters:
    ///   - columns: the width of the terminal; no line is longer.
    ///   - rows: the maximum number of lines.
    func lines(columns: Int, rows: Int) -> [String] {
        let shown = running.sorted { $0.key < $1.key }.prefix(max(0, rows - 1))
        var lines = shown.map { bar(for: $0.value, columns: columns) }
        guard total != 1 else { return lines }
        let bytes = running.values.reduce(bytes) { $0 + ($1.progress?.received ?? 0) }
        lines.append(String("\(ended) of \(total) done, \(Units.bytes(bytes))".prefix(columns)))
        return lines
    }

    private func bar(for item: Item, columns: Int) -> String {
        let received = Units.bytes(item.progress?.received ?? 0)
        let width = max(4, min(30, columns / 4))
        let bar: String
        let amount: String
        if let fraction = item.progress?.fraction {
            let full = Int(fraction * Double(width))
            bar = "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "]"
            amount = "\(Int(fraction * 100))% of \(Units.bytes(item.progress?.expected ?? 0))"
        } else {
            bar = "[" + String(repeating: ".", count: width) + "]"
            amount = received
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
        Leftovers.setCursorHidden(true)
    }

    func update(_ change: @Sendable (inout ProgressBoard) -> Void) {
        // Drawn under the lock, because two drawings at once would tear; the writing is this command's own code.
        state.withLock { state in
            change(&state.board)
            let now = ContinuousClock.now
            if let last = state.lastDraw, now - last < .milliseconds(50) { return }
            state.lastDraw = now
            ProgressBars.draw(&state)
        }
    }

    /// Runs `write`, which prints whole lines, where the bars were, and draws them again below.
    func makeRoom(for write: () -> Void) {
        state.withLock { state in
            Console.writeError(ProgressBars.home(from: state.drawnLines))
            state.drawnLines = 0
            write()
            ProgressBars.draw(&state)
        }
    }

    private static func draw(_ state: inout State) {
        let size = Console.size ?? (columns: 80, rows: 24)
        let lines = state.board.lines(columns: max(8, size.columns - 1), rows: max(2, min(9, size.rows - 1)))
        Console.writeError(home(from: state.drawnLines) + lines.joined(separator: "\n"))
        state.drawnLines = lines.count
    }

    /// Removes the bars; what is written afterwards stands where they were.
    func close() {
        state.withLock { state in
            Console.writeError(ProgressBars.home(from: state.drawnLines))
            state.drawnLines = 0
        }
        Leftovers.setCursorHidden(false)
    }

    /// Moves back to the first of the drawn lines and clears them.
    private static func home(from lines: Int) -> String {
        "\r" + (lines > 1 ? "\u{1B}[\(lines - 1)A" : "") + "\u{1B}[J"
    }
}
