import Foundation
import ImageCore
import Testing

/// The program GalleryGTK in a separate X server, with a local server that serves the demo's images under thousands of
/// URLs.
final class Gallery {
    static let program = "GalleryGTK"
    /// The images of the demo, in the root of the project.
    private static let demo = (0..<5).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
        .appending(path: "Sources/Command/Demo/Images")

    /// The state in the last line of the program's trace.
    private(set) var state = State("")
    /// The number of trace lines with a blank cell.
    private(set) var blankStates = 0
    private let process: StageProcess
    /// The images in their full size.
    private let images: [ReferenceImage]
    /// The images in the size of a cell.
    private let thumbnails: [ReferenceImage]
    /// The colours of all images, cached by size and background.
    private var cachedSamples: [[Int]: [ColorSamples]] = [:]

    /// - Parameter isManaged: whether a window manager runs; `false` by default.
    init(isManaged: Bool = false) throws {
        let folder = Gallery.demo
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            try Data(contentsOf: folder.appending(path: $0))
        }
        images = try files.map { try ReferenceImage($0) }
        thumbnails = try files.map { try ReferenceImage($0, covering: PixelSize(width: Gallery.side, height: Gallery.side)) }
        process = try StageProcess(
            StageProcess.program(Gallery.program), [folder.path, "--serve", "--trace"], screen: (1_100, 780),
            isManaged: isManaged)
    }

    func end() { process.end() }

    /// Waits for the end of the program, and returns whether its exit status is 0.
    func exitsSuccessfully() -> Bool {
        while process.readLine(within: 20_000) != nil {}
        return process.exitStatus() == 0
    }

    func press(_ keys: String...) throws { try process.input("key \(keys.joined(separator: " "))") }
    /// Turns the mouse wheel by a number of steps: down, or up for a negative number.
    func turnWheel(_ count: Int) throws {
        try process.input("mousemove 480 360 click --repeat \(abs(count)) --delay 2 \(count < 0 ? 4 : 5)")
    }
    /// Sends a command of xdotool.
    func input(_ command: String) throws { try process.input(command) }
    func click(x: Int, y: Int, times: Int = 1) throws {
        try process.input("mousemove \(x) \(y) click --repeat \(times) --delay 40 1")
    }

    /// Waits until the state fulfils a condition and no trace line has come for 200 ms. Fails after 20 seconds.
    ///
    /// - Parameters:
    ///   - description: names the condition in the failure message.
    ///   - condition: checked after each trace line, and at least five times per second.
    func wait(for description: String, _ condition: (State) throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(20)
        var isSettled = false
        while try !(condition(state) && isSettled) {
            let canContinue = ContinuousClock.now < end && process.isRunning
            if !canContinue { try? saveScreen("failed") }
            try #require(canContinue, "The gallery did not reach the state \"\(description)\": \(state.line)")
            let line = process.readLine(within: 200)
            isSettled = line == nil
            guard let line else { continue }
            state = State(line)
            if state["blank"] != "0" { blankStates += 1 }
        }
    }

    // MARK: The screen

    var screen: Screen? { try? process.screen() }

    func saveScreen(_ name: String) throws { try process.screen().save(as: "gallery-\(name)") }

    /// Whether nothing loads, and every fully visible cell shows its image.
    func showsCorrectImages(_ state: State) -> Bool {
        guard state.isIdle, let screen else { return false }
        return state.fullyVisibleCells.allSatisfy { cell in
            let square = Rectangle(x: cell.x, y: cell.y, width: Gallery.side, height: Gallery.side)
            return shows(cell.position, in: square, on: screen, covering: true)
        }
    }

    /// Whether the window shows all of the large image of a position.
    func showsLarge(_ position: Int, _ state: State) -> Bool {
        guard state.page == "image", state["image"] == "\(position)", state["loaded"] == "true", state["loads"] == "0",
            let screen
        else { return false }
        let bounds = images[position % images.count].bounds(within: state.rectangle("page-bounds"))
        return shows(position, in: bounds, on: screen, covering: false)
    }

    /// The side of a cell in pixels.
    private static let side = 128

    /// Whether a rectangle of the screen is similar to the image of a position, and less similar to all other images.
    private func shows(_ position: Int, in bounds: Rectangle, on screen: Screen, covering: Bool) -> Bool {
        let background = screen.pixel(bounds.x - 2, bounds.y - 2)
        let actual = ColorSamples(bounds.width, bounds.height) { screen.pixel(bounds.x + $0, bounds.y + $1) }
        let expected = samples(bounds, covering: covering, over: background)
        let differences = expected.map { actual.difference(from: $0) }
        let difference = differences[position % images.count]
        return difference < 6 && differences.min() == difference
    }

    private func samples(_ bounds: Rectangle, covering: Bool, over background: [Int]) -> [ColorSamples] {
        let key = [bounds.width, bounds.height, covering ? 1 : 0] + background
        if let samples = cachedSamples[key] { return samples }
        let samples = (covering ? thumbnails : images).map {
            $0.samples(bounds.width, bounds.height, covering: covering, over: background)
        }
        cachedSamples[key] = samples
        return samples
    }

    /// What the window shows, parsed from a trace line of words `name=value`.
    struct State {
        struct Cell: Equatable { var position: Int, x: Int, y: Int }

        let line: String
        private let words: [String: String]
        let cells: [Cell]

        init(_ line: String) {
            self.line = line
            words = Dictionary(
                line.split(separator: " ").compactMap { word in
                    word.firstIndex(of: "=").map { (String(word[..<$0]), String(word[word.index(after: $0)...])) }
                }, uniquingKeysWith: { $1 })
            cells = (words["cells"] ?? "").split(separator: ";").map { cell in
                let numbers = cell.split(separator: ",").compactMap { Int($0) }
                return Cell(position: numbers[0], x: numbers[1], y: numbers[2])
            }
        }

        subscript(_ name: String) -> String { words[name] ?? "" }
        var page: String { self["page"] }
        var selected: Int? { Int(self["selected"]) }
        /// Whether cells are visible and nothing loads.
        var isIdle: Bool { self["loading"] == "0" && self["loads"] == "0" && !cells.isEmpty }

        /// How far the large image is moved.
        var offset: (left: Int, top: Int) {
            let numbers = self["moved"].split(separator: ",").compactMap { Int($0) } + [0, 0]
            return (numbers[0], numbers[1])
        }

        func rectangle(_ name: String) -> Rectangle {
            let numbers = self[name].split(separator: ",").compactMap { Int($0) } + [0, 0, 0, 0]
            return Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        }

        var fullyVisibleCells: [Cell] {
            let page = rectangle("page-bounds")
            return cells.filter { $0.y >= page.y && $0.y + Gallery.side <= page.y + page.height }
        }
        var firstCell: Cell? { fullyVisibleCells.first }
        var selectedCell: Cell? { fullyVisibleCells.first { $0.position == selected } }
        var isSelectedOnScreen: Bool { selectedCell != nil }
    }
}
