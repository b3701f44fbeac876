import CCalotypeGTKStage
import Dispatch
import ImageCore
import ImageTargetsGTK

/// A list that a test scrolls with the pointer and the keyboard. It executes commands from standard input while nothing
/// moves and nothing loads:
///
/// - `idle NAME` prints the bounds of the cells.
/// - `scroll OFFSET…` sets several offsets within one turn of the main loop.
/// - `hide OFFSET` scrolls to the offset, holds the responses, hides the list until no load runs, prints the numbers of
///   loads, and shows the list again.
/// - `rest MILLISECONDS` does nothing for a time and prints the frames that were painted and the times that the main
///   loop awoke.
/// - `activations` prints the number of activations so far.
/// - `end` prints the counts of loads and frames, and ends the program.
final class ListScenario: Scenario {
    private let list: ServedList
    private var commands: [[String]] = []
    private var lastOffset = -1.0
    /// The number of ticks since the list last moved.
    private var stoppedTicks = 0
    /// The number of ticks since the list last moved or loaded.
    private var idleTicks = 0
    private var loadsOffScreen = 0
    private var hiding: Hiding?
    private enum Hiding { case waiting, hidden(loads: Int, ticks: Int) }
    private var frames = 0
    /// The number of blank cells in all frames.
    private var blankCells = 0
    /// The number of requests that the list made until the last frame.
    private var requestsMade = 0
    /// The largest number of requests in one frame.
    private var maximumRequests = 0

    init(_ list: ServedList) { self.list = list }

    var windowSize: (width: Int, height: Int) { list.windowSize }

    func start(in window: UnsafeMutableRawPointer) {
        do {
            try unsafe list.start(in: window)
            every(16) { [self] in unsafe tick(window) }
            unsafe afterEachPaint(of: window) { [self] in
                frames += 1
                maximumRequests = max(maximumRequests, list.requestsMade - requestsMade)
                requestsMade = list.requestsMade
                blankCells += unsafe list.blankCells(in: window)
            }
            DispatchQueue.global().async {
                while let line = readLine() {
                    let words = line.split(separator: " ").map(String.init)
                    Task { @MainActor in self.commands.append(words) }
                }
                Task { @MainActor in clt_stage_quit() }
            }
        } catch {
            printLine("FAILED \(error)")
            clt_stage_quit()
        }
    }

    private func tick(_ window: UnsafeMutableRawPointer) -> Bool {
        if let hiding { return hide(hiding) }
        let (offset, maximum) = list.offset
        stoppedTicks = offset == lastOffset && maximum > 0 ? stoppedTicks + 1 : 0
        lastOffset = offset
        // Six ticks after the last movement, only images on screen may be loading.
        if stoppedTicks == 6 { loadsOffScreen += unsafe list.loadsOffScreen(in: window) }
        let cells = unsafe list.loadedCells(in: window)
        idleTicks = cells != nil && stoppedTicks > 0 ? idleTicks + 1 : 0
        guard idleTicks > 8, let cells, let command = commands.first else { return true }
        commands.removeFirst()
        idleTicks = 0
        let numbers = command.dropFirst().compactMap { Double($0) }
        switch command[0] {
        case "idle": printIdleState(command[1], cells)
        case "rest":
            unsafe rest(UInt32(numbers.first ?? 0), in: window)
            return false
        case "activations": printLine("ACTIVATED \(list.activations)")
        case "scroll": for offset in numbers { list.scroll(to: offset) }
        case "hide":
            hiding = .waiting
            try? list.holdResponses(true)
            if let offset = numbers.first { list.scroll(to: offset) }
        default: return finish()
        }
        return true
    }

    private func rest(_ milliseconds: UInt32, in window: UnsafeMutableRawPointer) {
        let (frames, wakeups) = (frames, clt_stage_wakeups())
        every(milliseconds) { [self] in
            printLine(
                "REST frames=\(self.frames - frames) wakeups=\(clt_stage_wakeups() - wakeups) cells=\(list.cellCount)")
            every(16) { [self] in unsafe tick(window) }
            return false
        }
    }

    private func printIdleState(_ name: String, _ cells: [GTKImageList.VisibleCell]) {
        let (offset, maximum) = list.offset
        let bounds = cells.map { "\($0.position),\(Int($0.bounds.x.rounded())),\(Int($0.bounds.y.rounded()))" }
        printLine(
            "IDLE \(name) \(list.cellCount) \(FileOutput.residentBytes) \(Int(offset)) \(Int(maximum)) \(bounds.joined(separator: ";"))"
        )
    }

    private func hide(_ hiding: Hiding) -> Bool {
        switch hiding {
        case .waiting:
            guard list.loads > 0 else { return true }
            self.hiding = .hidden(loads: list.loads, ticks: 0)
            list.setVisible(false)
        case .hidden(let loads, let ticks) where list.loads > 0 && ticks < 300:
            self.hiding = .hidden(loads: loads, ticks: ticks + 1)
        case .hidden(let loads, _):
            printLine("HIDDEN before=\(loads) after=\(list.loads)")
            self.hiding = nil
            try? list.holdResponses(false)
            list.setVisible(true)
        }
        return true
    }

    private func finish() -> Bool {
        printLine("LOADS offscreen=\(loadsOffScreen) requests=\(list.requestsServed)")
        printLine("PAINTED frames=\(frames) blank=\(blankCells) requests=\(maximumRequests)")
        printLine("PASS")
        clt_stage_quit()
        return false
    }
}
