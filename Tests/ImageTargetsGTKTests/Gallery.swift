#if GTK
    import Foundation
    import ImageCore
    import ProjectFiles
    import Testing

    /// The program GalleryGTK in an X server of its own, with the project's own pictures served thousands of times over.
    final class Gallery {
        static var program: String? { ProcessInfo.processInfo.environment["CALOTYPE_GALLERY"] }

        /// As the program's last line of trace said.
        private(set) var state = State("")
        /// Lines that told of a cell that showed nothing.
        private(set) var blankStates = 0
        private let stage: StageProcess
        private let pictures: [Picture]
        /// The same in the size of a cell.
        private let small: [Picture]
        /// What they look like in a rectangle, by its size and what is around it.
        private var known: [[Int]: [Look]] = [:]

        init() throws {
            let folder = ProjectFiles.gallery
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
                try Data(contentsOf: folder.appending(path: $0))
            }
            pictures = try files.map { try Picture($0) }
            small = try files.map { try Picture($0, covering: PixelSize(width: Gallery.side, height: Gallery.side)) }
            stage = try StageProcess(
                URL(filePath: #require(Gallery.program)), [folder.path, "--serve", "--trace"], screen: (1_100, 780))
        }

        func end() { stage.end() }

        /// Whether the program ends by itself and well.
        func ends() -> Bool {
            while stage.readLine(within: 20_000) != nil {}
            return stage.exitStatus() == 0
        }

        func press(_ keys: String...) throws { try stage.act("key \(keys.joined(separator: " "))") }
        /// The wheel, up by less than nothing.
        func turn(_ count: Int) throws {
            try stage.act("mousemove 480 360 click --repeat \(abs(count)) --delay 2 \(count < 0 ? 4 : 5)")
        }
        func click(x: Int, y: Int, times: Int = 1) throws {
            try stage.act("mousemove \(x) \(y) click --repeat \(times) --delay 40 1")
        }

        /// Until the window is as it is wanted, and stays so for two looks of the trace; it is looked at whenever the trace has a
        /// line, and five times a second.
        func wait(for what: String, _ isSo: (State) throws -> Bool) throws {
            let end = ContinuousClock.now + .seconds(20)
            var isSettled = false
            while try !(isSo(state) && isSettled) {
                let mayCome = ContinuousClock.now < end && stage.isRunning
                if !mayCome { try? keep("failed") }
                try #require(mayCome, "The gallery never came to \(what): \(state.line)")
                let line = stage.readLine(within: 200)
                isSettled = line == nil
                guard let line else { continue }
                state = State(line)
                if state["blank"] != "0" { blankStates += 1 }
            }
        }

        // MARK: What is on its screen

        var screen: Screen? { try? stage.screen() }

        func keep(_ name: String) throws { try stage.screen().keep(as: "gallery-\(name)") }

        /// Whether every cell that is whole shows its own picture and no other one.
        func showsOwnPictures(_ state: State) -> Bool {
            guard state.isAtRest, let screen else { return false }
            return state.wholeCells.allSatisfy { cell in
                let square = Rectangle(x: cell.x, y: cell.y, width: Gallery.side, height: Gallery.side)
                return isPicture(cell.position, square, on: screen, covering: true)
            }
        }

        /// Whether the large picture is the one of that position, whole.
        func showsLarge(_ position: Int, _ state: State) -> Bool {
            guard state.page == "picture", state["picture"] == "\(position)", state["loaded"] == "true", let screen else {
                return false
            }
            let place = pictures[position % pictures.count].place(within: state.rectangle("place"))
            return isPicture(position, place, on: screen, covering: false)
        }

        /// Whether the corner of a cell is another than its picture's.
        func showsBadges() -> Bool {
            // The fourth picture, whose upper part is of one colour, more or less; a badge is red, grey or green.
            guard let screen, let cell = state.wholeCells.first(where: { $0.position % pictures.count == 3 }) else {
                return false
            }
            return (1..<13).contains { x in
                (1..<17).contains { y in
                    let corner = screen.pixel(cell.x + x, cell.y + y)
                    return zip(corner, screen.pixel(cell.x + x + 24, cell.y + y)).contains { abs($0 - $1) > 60 }
                }
            }
        }

        /// Whether the line of statistics says something else than it did.
        func panelDiffers(from before: Screen?) -> Bool {
            guard let before, let screen else { return false }
            let place = state.rectangle("place")
            let bottom = place.y + place.height
            return (bottom..<bottom + 20).contains { y in
                (0..<place.width).contains { before.pixel($0, y) != screen.pixel($0, y) }
            }
        }

        /// Of a cell.
        private static let side = 128

        /// Whether what is seen there is like the position's picture, and less like any other one.
        private func isPicture(_ position: Int, _ place: Rectangle, on screen: Screen, covering: Bool) -> Bool {
            let background = screen.pixel(place.x - 2, place.y - 2)
            let seen = Look(place.width, place.height) { screen.pixel(place.x + $0, place.y + $1) }
            let differences = looks(place, covering: covering, over: background).map { seen.difference(from: $0) }
            let own = differences[position % pictures.count]
            return own < 6 && differences.min() == own
        }

        private func looks(_ place: Rectangle, covering: Bool, over background: [Int]) -> [Look] {
            let key = [place.width, place.height, covering ? 1 : 0] + background
            if let known = known[key] { return known }
            let looks = (covering ? small : pictures).map {
                $0.look(place.width, place.height, covering: covering, over: background)
            }
            known[key] = looks
            return looks
        }

        /// What the window shows, by its own words: `name=value`.
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
            var isAtRest: Bool { self["loading"] == "0" && self["loads"] == "0" && !cells.isEmpty }

            func rectangle(_ name: String) -> Rectangle {
                let numbers = self[name].split(separator: ",").compactMap { Int($0) } + [0, 0, 0, 0]
                return Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
            }

            var wholeCells: [Cell] {
                let place = rectangle("place")
                return cells.filter { $0.y >= place.y && $0.y + Gallery.side <= place.y + place.height }
            }
            var firstWhole: Cell? { wholeCells.first }
            var selectedCell: Cell? { wholeCells.first { $0.position == selected } }
            var isSelectedOnScreen: Bool { selectedCell != nil }
        }
    }
#endif
