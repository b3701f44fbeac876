#if GTK
    import Foundation
    import Testing

    /// A real window under Xvfb, looked at from outside, and scrolled by its pointer and keyboard.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct Windows {
        @Test func theGTKAdapterKeepsTheRulesOfAdaptersAndFades() throws {
            let stage = try StageProcess("conformance")
            defer { stage.end() }
            var lines: [String] = []
            while let line = stage.readLine() { lines.append(line) }
            #expect(lines == ["PASS conformance", "PASS programs", "PASS progress", "PASS fade", "PASS motion"])
        }

        @Test func everyCellAtRestShowsItsOwnPictureHoweverTheGridWasScrolled() throws {
            let stage = try StageProcess("scroll")
            defer { stage.end() }
            var seen: Set<Int> = []
            func look(_ name: String) throws -> Rest {
                let rest = try Rest(name, of: stage)
                let screen = try stage.screen()
                #expect(rest.cells.count >= 40)
                // The window holds some 70 cells; GTK keeps a few rows more, however many there are in all.
                #expect(rest.cellCount < 400)
                #expect(rest.residentBytes < 400_000_000)
                rest.expectOwnPictures(on: screen)
                seen.formUnion(rest.cells.map(\.position))
                try screen.keep(as: "gtk-\(name)")
                return rest
            }
            // When the wheel is turned from end to end and back,
            #expect(try look("start").offset == 0)
            try Input.toTheEnd(stage)
            let end = try look("end")
            #expect(end.offset == end.maximum && end.maximum > 15_000)
            try stage.act("click --repeat 450 --delay 2 4")
            #expect(try look("back").offset == 0)
            // the bar dragged, keys pressed, and the wheel turned this way and that without waiting for anything,
            try stage.act("mousemove 955 20 mousedown 1 mousemove 955 250 mousemove 955 400 mousemove 955 330 mouseup 1")
            _ = try look("dragged")
            try stage.act("mousemove 480 360 key End sleep 0.05 key Home sleep 0.05 key --repeat 9 --delay 30 Page_Down")
            _ = try look("keys")
            for turn in 0..<8 { try stage.act("click --repeat \(5 + turn * 7 % 40) --delay 1 \(turn % 3 == 2 ? 4 : 5)") }
            _ = try look("flung")
            // then each cell shows its own picture, and nothing loads that is not on screen.
            stage.order("end")
            let report = try Report(of: stage)
            report.print("GTK")
            #expect(report.loadsOffScreen == 0)
            #expect(seen.contains(0) && seen.contains(1_999))
            // No cell was painted before it had anything to show, not even while it was flung past.
            #expect(report["PAINTED", "blank"] == 0)
        }

        @Test func rowsShowTheirOwnPicturesAsCellsOfAGridDo() throws {
            let stage = try StageProcess("rows")
            defer { stage.end() }
            var seen: Set<Int> = []
            func look(_ name: String) throws -> Rest {
                let rest = try Rest(name, of: stage)
                let screen = try stage.screen()
                #expect(rest.cells.count >= 6)
                #expect(rest.cellCount < 400)
                rest.expectOwnPictures(on: screen)
                seen.formUnion(rest.cells.map(\.position))
                try screen.keep(as: "gtk-rows-\(name)")
                return rest
            }
            #expect(try look("start").offset == 0)
            try stage.act("mousemove 480 360 click --repeat 200 --delay 4 5")
            #expect(try look("flung").offset > 10_000)
            try stage.act("key End")
            let end = try look("end")
            #expect(end.offset == end.maximum)
            // Of the offsets that a program sets in one turn, the last one counts,
            stage.order("scroll 90000 40 50010 30000 77000")
            #expect(try look("set").offset == 77_000)
            // and in a page that is not shown, nothing loads.
            stage.order("hide 3000")
            let hidden = try #require(stage.readLine())
            #expect(hidden.hasPrefix("HIDDEN before=") && !hidden.contains("before=0"), "\(hidden)")
            #expect(hidden.hasSuffix(" after=0"), "\(hidden)")
            #expect(try look("shown").offset == 3_000)
            // A click activates a cell, a double click once, and a drag from one to another none.
            try stage.act("mousemove 480 360 click --repeat 2 --delay 40 1")
            try stage.act("mousemove 480 160 mousedown 1 mousemove 480 460 mouseup 1")
            stage.order("activations")
            #expect(stage.readLine() == "ACTIVATED 1")
            stage.order("end")
            let report = try Report(of: stage)
            report.print("GTK rows")
            #expect(report.loadsOffScreen == 0)
            #expect(report["PAINTED", "blank"] == 0)
            #expect(seen.contains(0) && seen.contains(1_999))
        }

        @Test func inEachFrameLoadsOfCellsOffScreenStartForABoundedTime() throws {
            let stage = try StageProcess("slow")
            defer { stage.end() }
            let rest = try Rest("start", of: stage)
            stage.order("end")
            let report = try Report(of: stage)
            // Cells on screen get their placeholders at once. Then one request uses up the time of a frame.
            let most = report["PAINTED", "requests"]
            #expect((1...rest.cells.count + 1).contains(most), "\(most) requests in a frame, \(rest.cells.count) cells on screen")
            #expect(rest.cellCount > rest.cells.count * 2)
        }

        @Test func aMonitorOfTwiceTheDensityGetsTwiceThePixels() throws {
            let stage = try StageProcess("dense", scale: 2)
            defer { stage.end() }
            let rest = try Rest("start", of: stage)
            let screen = try stage.screen()
            #expect(rest.cells.count >= 15)
            for cell in rest.cells {
                // Single pixels of two colours: neither scaled down for the cell nor up for the monitor.
                let wrong = screen.pixelsThatDiffer(
                    from: { x, y in (x + y) % 2 == 0 ? [cell.position % 256, 0, 255] : [0, cell.position % 256, 0] },
                    inSquareOf: 192, x: cell.x * 2, y: cell.y * 2, window: (960, 720))
                #expect(wrong == 0, "Cell \(cell.position) has \(wrong) wrong pixels.")
            }
            try screen.keep(as: "gtk-dense")
        }
    }

    private enum Input {
        static func toTheEnd(_ stage: StageProcess) throws {
            try stage.act("mousemove 480 360 click --repeat 450 --delay 16 5")
        }
    }

    /// What lies where once nothing moves and nothing loads.
    private struct Rest {
        var name: String
        var cells: [(position: Int, x: Int, y: Int)]
        var cellCount: Int
        var residentBytes: Int
        var offset: Int
        var maximum: Int

        init(_ name: String, of stage: StageProcess) throws {
            self.name = name
            stage.order("rest \(name)")
            let line = try #require(stage.readLine())
            let words = line.split(separator: " ").map(String.init)
            try #require(words.count >= 6 && words[0] == "REST" && words[1] == name, "The stage said: \(line)")
            let numbers = words[2...5].compactMap { Int($0) }
            (cellCount, residentBytes, offset, maximum) = (numbers[0], numbers[1], numbers[2], numbers[3])
            cells = (words.count > 6 ? words[6] : "").split(separator: ";").map { cell in
                let numbers = cell.split(separator: ",").compactMap { Int($0) }
                return (numbers[0], numbers[1], numbers[2])
            }
        }

        /// Each cell's square holds the four quarters that its position has, and nothing else.
        func expectOwnPictures(on screen: Screen) {
            for cell in cells {
                let wrong = screen.pixelsThatDiffer(
                    from: { x, y in
                        // Where quarters meet, scaling blends them.
                        guard !(44..<52).contains(x), !(44..<52).contains(y) else { return nil }
                        return [cell.position % 256, cell.position / 256 * 31, ((y >= 48 ? 2 : 0) + (x >= 48 ? 1 : 0)) * 80]
                    }, inSquareOf: 96, x: cell.x, y: cell.y, window: (960, 720))
                #expect(wrong == 0, "At rest \(name), cell \(cell.position) has \(wrong) wrong pixels.")
            }
        }
    }

    /// The counts that the stage writes at its end.
    private struct Report {
        private var lines: [[Substring]] = []

        init(of stage: StageProcess) throws {
            while let line = stage.readLine(), line != "PASS" { lines.append(line.split(separator: " ")) }
            try #require(lines.contains { $0.first == "PAINTED" })
        }

        var loadsOffScreen: Int { self["LOADS", "offscreen"] }

        /// A number by its name and the words that its line begins with; -1 where there is none.
        subscript(_ start: String, _ name: String) -> Int {
            let line = lines.first { $0.starts(with: start.split(separator: " ")) }
            let word = line?.first { $0.hasPrefix(name + "=") }
            return word.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
        }

        func print(_ title: String) { for line in lines { Swift.print("\(title):", line.joined(separator: " ")) } }
    }
#endif
