import Foundation
import Testing

/// A window under Xvfb, controlled by the pointer and the keyboard, and checked by screenshots.
@Suite(.serialized, .timeLimit(.minutes(5))) struct Windows {
    @Test func theGTKImageViewConformsAndFades() throws {
        let stage = try StageProcess("conformance")
        defer { stage.end() }
        var lines: [String] = []
        while let line = stage.readLine() { lines.append(line) }
        #expect(lines == ["PASS conformance", "PASS programs", "PASS progress", "PASS fade", "PASS motion"])
    }

    @Test func anImageViewKnowsItsSizeAndShowsItsStateInWidgets() throws {
        let stage = try StageProcess("view")
        defer { stage.end() }
        var lines: [String] = []
        while let line = stage.readLine() { lines.append(line) }
        #expect(lines.last == "PASS is released with its object")
        #expect(lines.filter { !$0.hasPrefix("PASS") } == [])
    }

    @Test func aListChangesSingleImagesAndReportsItsSelection() throws {
        let stage = try StageProcess("items")
        defer { stage.end() }
        var lines: [String] = []
        while let line = stage.readLine() { lines.append(line) }
        #expect(lines.last == "PASS ignores positions that do not exist")
        #expect(lines.filter { !$0.hasPrefix("PASS") } == [])
    }

    @Test(arguments: ["scroll", "rows"]) func aWindowAtRestPaintsNothingAndWakesNothing(_ scenario: String) throws {
        let stage = try StageProcess(scenario)
        defer { stage.end() }
        let idle = try IdleState("start", of: stage)
        // GTK has bound cells below the screen, whose loads are suspended.
        #expect(idle.cellCount > idle.cells.count * 3 / 2)
        // The end of a measurement wakes the loop once. On a busy machine, the late signal of a worker may wake it once
        // more; a timer would in each half second.
        var lines: [String] = []
        var rests: Bool { lines.last.map { $0.contains(" wakeups=0 ") || $0.contains(" wakeups=1 ") } ?? false }
        repeat {
            stage.send("rest 500")
            lines.append(try #require(stage.readLine()))
        } while lines.count < 4 && !rests
        #expect(rests, "\(lines)")
        #expect(lines.allSatisfy { $0.hasPrefix("REST frames=0 ") }, "\(lines)")
    }

    @Test func everyCellOfAGridShowsItsImageAfterAnyScrolling() throws {
        let stage = try StageProcess("scroll")
        defer { stage.end() }
        var positions: Set<Int> = []
        func checkIdle(_ name: String) throws -> IdleState {
            let state = try IdleState(name, of: stage)
            let screen = try stage.screen()
            #expect(state.cells.count >= 40)
            // The window shows about 70 cells. GTK keeps some more rows, whatever the number of images.
            #expect(state.cellCount < 400)
            #expect(state.residentBytes < 400_000_000)
            state.expectCorrectImages(on: screen)
            positions.formUnion(state.cells.map(\.position))
            try screen.save(as: "gtk-\(name)")
            return state
        }
        // When the mouse wheel scrolls to the end and back,
        let start = try checkIdle("start")
        #expect(start.offset == 0)
        // The grid is in the middle of the window, and only GTK's padding of the cells is between them.
        let row = start.cells.filter { $0.y == start.cells.first?.y }.map(\.x)
        #expect(zip(row, row.dropFirst()).allSatisfy { 96...104 ~= $1 - $0 }, "\(row)")
        #expect(abs((row.first ?? 0) - (960 - 96 - (row.last ?? 0))) <= 1, "\(row)")
        try stage.input("mousemove 480 360 click --repeat 450 --delay 16 5")
        let end = try checkIdle("end")
        #expect(end.offset == end.maximum && end.maximum > 15_000)
        try stage.input("click --repeat 450 --delay 2 4")
        #expect(try checkIdle("back").offset == 0)
        // the scroll bar is dragged, keys are pressed, and the wheel turns in both directions without waiting,
        try stage.input("mousemove 955 20 mousedown 1 mousemove 955 250 mousemove 955 400 mousemove 955 330 mouseup 1")
        _ = try checkIdle("dragged")
        try stage.input("mousemove 480 360 key End sleep 0.05 key Home sleep 0.05 key --repeat 9 --delay 30 Page_Down")
        _ = try checkIdle("keys")
        for turn in 0..<8 { try stage.input("click --repeat \(5 + turn * 7 % 40) --delay 1 \(turn % 3 == 2 ? 4 : 5)") }
        _ = try checkIdle("wheel")
        // The key Home scrolls to the first cell, even if it has the focus already.
        try stage.input("key Home")
        _ = try checkIdle("home")
        try stage.input("click --repeat 30 --delay 2 5")
        #expect(try checkIdle("away").offset > 1_000)
        try stage.input("key Home")
        #expect(try checkIdle("home-again").offset == 0)
        // then each cell shows its image, and nothing off screen loads.
        stage.send("end")
        let report = try Report(of: stage)
        report.print("GTK")
        #expect(report.loadsOffScreen == 0)
        #expect(positions.contains(0) && positions.contains(1_999))
        // No cell was painted blank, even during fast scrolling.
        #expect(report["PAINTED", "blank"] == 0)
    }

    @Test func everyRowOfAListShowsItsImage() throws {
        let stage = try StageProcess("rows")
        defer { stage.end() }
        var positions: Set<Int> = []
        func checkIdle(_ name: String) throws -> IdleState {
            let state = try IdleState(name, of: stage)
            let screen = try stage.screen()
            #expect(state.cells.count >= 6)
            #expect(state.cellCount < 400)
            state.expectCorrectImages(on: screen)
            positions.formUnion(state.cells.map(\.position))
            try screen.save(as: "gtk-rows-\(name)")
            return state
        }
        #expect(try checkIdle("start").offset == 0)
        try stage.input("mousemove 480 360 click --repeat 200 --delay 4 5")
        #expect(try checkIdle("wheel").offset > 10_000)
        try stage.input("key End")
        let end = try checkIdle("end")
        #expect(end.offset == end.maximum)
        // When a program sets several offsets at once, the last one counts.
        stage.send("scroll 90000 40 50010 30000 77000")
        #expect(try checkIdle("set").offset == 77_000)
        // In a hidden list, nothing loads.
        stage.send("hide 3000")
        let hidden = try #require(stage.readLine())
        #expect(hidden.hasPrefix("HIDDEN before=") && !hidden.contains("before=0"), "\(hidden)")
        #expect(hidden.hasSuffix(" after=0"), "\(hidden)")
        #expect(try checkIdle("shown").offset == 3_000)
        // A double click activates a cell once, and a drag from one cell to another activates none.
        try stage.input("mousemove 480 360 click --repeat 2 --delay 40 1")
        try stage.input("mousemove 480 160 mousedown 1 mousemove 480 460 mouseup 1")
        stage.send("activations")
        #expect(stage.readLine() == "ACTIVATED 1")
        stage.send("end")
        let report = try Report(of: stage)
        report.print("GTK rows")
        #expect(report.loadsOffScreen == 0)
        #expect(report["PAINTED", "blank"] == 0)
        #expect(positions.contains(0) && positions.contains(1_999))
    }

    @Test func loadsOfCellsOffScreenStartForABoundedTimePerFrame() throws {
        let stage = try StageProcess("slow")
        defer { stage.end() }
        let state = try IdleState("start", of: stage)
        stage.send("end")
        let report = try Report(of: stage)
        // All cells on screen get their placeholders in one frame. After that, one slow request uses up the time of a
        // frame.
        let maximum = report["PAINTED", "requests"]
        #expect(
            (1...state.cells.count + 1).contains(maximum),
            "\(maximum) requests in a frame, \(state.cells.count) cells on screen")
        #expect(state.cellCount > state.cells.count * 2)
    }

    /// `make gtk-soak` runs this for a minute in a release build.
    @Test func aGridWithAnimationsScrollsWithoutBlankCells() throws {
        let stage = try StageProcess("soak")
        defer { stage.end() }
        var lines: [String] = []
        while let line = stage.readLine() { lines.append(line) }
        print(lines.first { $0.hasPrefix("SOAK") } ?? "")
        #expect(lines.last == "PASS plays animations")
        #expect(lines.filter { $0.hasPrefix("FAILED") } == [])
    }

    @Test func aHighDensityMonitorGetsTwiceThePixels() throws {
        let stage = try StageProcess("dense", scale: 2)
        defer { stage.end() }
        let state = try IdleState("start", of: stage)
        let screen = try stage.screen()
        #expect(state.cells.count >= 15)
        for cell in state.cells {
            // The pixels alternate between two colours, which any scaling would blend.
            let count = screen.countDifferentPixels(
                from: { x, y in (x + y) % 2 == 0 ? [cell.position % 256, 0, 255] : [0, cell.position % 256, 0] },
                inSquareOf: 192, x: cell.x * 2, y: cell.y * 2, window: (960, 720))
            #expect(count == 0, "Cell \(cell.position) has \(count) wrong pixels.")
        }
        try screen.save(as: "gtk-dense")
    }
}

/// The bounds of the cells when nothing moves and nothing loads.
private struct IdleState {
    var name: String
    var cells: [(position: Int, x: Int, y: Int)]
    var cellCount: Int
    var residentBytes: Int
    var offset: Int
    var maximum: Int

    init(_ name: String, of stage: StageProcess) throws {
        self.name = name
        stage.send("idle \(name)")
        let line = try #require(stage.readLine())
        let words = line.split(separator: " ").map(String.init)
        try #require(words.count >= 6 && words[0] == "IDLE" && words[1] == name, "Unexpected output: \(line)")
        let numbers = words[2...5].compactMap { Int($0) }
        (cellCount, residentBytes, offset, maximum) = (numbers[0], numbers[1], numbers[2], numbers[3])
        cells = (words.count > 6 ? words[6] : "").split(separator: ";").map { cell in
            let numbers = cell.split(separator: ",").compactMap { Int($0) }
            return (numbers[0], numbers[1], numbers[2])
        }
    }

    /// Expects the four coloured quarters of its position in each cell.
    func expectCorrectImages(on screen: Screen) {
        for cell in cells {
            let count = screen.countDifferentPixels(
                from: { x, y in
                    // Scaling blends the edges between quarters.
                    guard !(44..<52).contains(x), !(44..<52).contains(y) else { return nil }
                    return [cell.position % 256, cell.position / 256 * 31, ((y >= 48 ? 2 : 0) + (x >= 48 ? 1 : 0)) * 80]
                }, inSquareOf: 96, x: cell.x, y: cell.y, window: (960, 720))
            #expect(count == 0, "In state \(name), cell \(cell.position) has \(count) wrong pixels.")
        }
    }
}

/// The counts that `GTKStage` prints at its end.
private struct Report {
    private var lines: [[Substring]] = []

    init(of stage: StageProcess) throws {
        while let line = stage.readLine(), line != "PASS" { lines.append(line.split(separator: " ")) }
        try #require(lines.contains { $0.first == "PAINTED" })
    }

    var loadsOffScreen: Int { self["LOADS", "offscreen"] }

    /// The number with a name in the line that begins with the words `start`; -1 if there is none.
    subscript(_ start: String, _ name: String) -> Int {
        let line = lines.first { $0.starts(with: start.split(separator: " ")) }
        let word = line?.first { $0.hasPrefix(name + "=") }
        return word.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }

    func print(_ title: String) { for line in lines { Swift.print("\(title):", line.joined(separator: " ")) } }
}
