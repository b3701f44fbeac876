import Foundation
import Testing

/// The program of `make gallery`, controlled by the pointer and the keyboard, and checked by its window and its trace.
@Suite(.serialized, .timeLimit(.minutes(3))) struct Galleries {
    @Test func theGalleryCanBeUsedByPointerAndKeyboard() throws {
        let gallery = try Gallery()
        defer { gallery.end() }
        try gallery.wait(for: "images") { $0.page == "grid" && $0.cells.count > 30 && gallery.showsCorrectImages($0) }
        #expect(gallery.state["count"] == "5000")
        try gallery.saveScreen("grid")
        try open(gallery)
        try selectByKeys(gallery)
        try switchLayout(gallery)
        try zoom(gallery)
        // No load failed, and no cell was ever blank.
        #expect(gallery.state["failed"] == "false" && gallery.blankStates == 0)
        try gallery.press("ctrl+q")
        #expect(gallery.exitsSuccessfully())
    }

    private func open(_ gallery: Gallery) throws {
        // A click opens an image.
        let cell = try #require(gallery.state.cells.dropFirst(11).first)
        try gallery.click(x: cell.x + 64, y: cell.y + 64)
        try gallery.wait(for: "the large image") { gallery.showsLarge(cell.position, $0) }
        try gallery.saveScreen("image")
        // The arrow keys show its neighbours.
        try gallery.press("Right")
        try gallery.wait(for: "the next image") { gallery.showsLarge(cell.position + 1, $0) }
        try gallery.press("Right", "Left", "Left", "Left")
        try gallery.wait(for: "the previous image") { gallery.showsLarge(cell.position - 1, $0) }
        // Escape goes back to the grid, where the image is selected. The second click of a double click does not open
        // another image.
        try gallery.press("Escape")
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == cell.position - 1 && $0.isSelectedOnScreen }
        try gallery.click(x: cell.x + 64, y: cell.y + 64, times: 2)
        try gallery.wait(for: "the large image") { gallery.showsLarge(cell.position, $0) }
        try gallery.press("Escape")
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == cell.position }
    }

    private func selectByKeys(_ gallery: Gallery) throws {
        let columns = gallery.state.cells.count { $0.y == gallery.state.cells.first?.y }
        func press(_ keys: String..., expect position: Int) throws {
            for key in keys { try gallery.press(key) }
            try gallery.wait(for: "\(position) by \(keys)") {
                $0.selected == position && $0.isSelectedOnScreen && gallery.showsCorrectImages($0)
            }
        }
        // The pointer lies over the grid, which must not change the selection while the keyboard scrolls.
        try press("Home", expect: 0)
        try press("Right", "Right", "Down", expect: columns + 2)
        try press("Up", "Left", expect: 1)
        try press("End", expect: 4_999)
        try gallery.saveScreen("end")
        try gallery.press("Page_Up")
        try gallery.wait(for: "the previous page") { ($0.selected ?? 0) <= 4_999 - 3 * columns && $0.isSelectedOnScreen }
        try press("Home", expect: 0)
        try gallery.press("Page_Down")
        try gallery.wait(for: "the next page") { ($0.selected ?? 0) >= 3 * columns && $0.isSelectedOnScreen }
        let selected = try #require(gallery.state.selected)
        try gallery.press("Return")
        try gallery.wait(for: "the selected image") { gallery.showsLarge(selected, $0) }
        try gallery.press("Escape")
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == selected }
    }

    private func switchLayout(_ gallery: Gallery) throws {
        // The selected image keeps its place when the button switches to the list.
        let selected = try #require(gallery.state.selectedCell)
        let button = gallery.state.rectangle("layout")
        try gallery.click(x: button.x + button.width / 2, y: button.y + button.height / 2)
        try gallery.wait(for: "the list") {
            $0.page == "list" && $0.selected == selected.position && $0.isSelectedOnScreen && gallery.showsCorrectImages($0)
        }
        #expect(abs((gallery.state.selectedCell?.y ?? 0) - selected.y) < 8)
        #expect(Set(gallery.state.cells.map(\.x)).count == 1)
        try gallery.saveScreen("list")
        // The list has the keyboard focus.
        try gallery.press("Down")
        try gallery.wait(for: "the row below") { $0.selected == selected.position + 1 }
        try gallery.press("Up")
        try gallery.wait(for: "the row above") { $0.selected == selected.position }
        let row = try #require(gallery.state.selectedCell)
        // A key switches back to the grid.
        try gallery.press("l")
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == selected.position && $0.isSelectedOnScreen }
        #expect(abs((gallery.state.selectedCell?.y ?? 0) - row.y) < 8)
        // If the selected image is not on screen, the first image keeps its place, in any part of the list.
        try gallery.turnWheel(60)
        try gallery.wait(for: "other images") { ($0.cells.first?.position ?? 0) > selected.position && $0.isIdle }
        let first = try #require(gallery.state.firstCell)
        for page in ["list", "grid", "list"] {
            try gallery.press("l")
            try gallery.wait(for: "the \(page)") {
                $0.page == page && $0.firstCell?.position == first.position && gallery.showsCorrectImages($0)
            }
        }
        // The keys work in the list as in the grid.
        try gallery.press("End")
        try gallery.wait(for: "the last row") {
            $0.selected == 4_999 && $0.isSelectedOnScreen && gallery.showsCorrectImages($0)
        }
        try gallery.press("Return")
        try gallery.wait(for: "the last image") { gallery.showsLarge(4_999, $0) }
        try gallery.press("Escape", "l")
        try gallery.wait(for: "the end of the grid") { $0.page == "grid" && $0.selected == 4_999 && $0.isSelectedOnScreen }
    }

    private func zoom(_ gallery: Gallery) throws {
        try gallery.press("Home", "Return")
        try gallery.wait(for: "the first image") { gallery.showsLarge(0, $0) }
        let page = gallery.state.rectangle("page-bounds")
        // Keys, and the wheel with Control, enlarge the image beyond the window. The arrow keys then move it.
        for _ in 0..<12 { try gallery.press("plus") }
        try gallery.wait(for: "an enlarged image") { (Int($0["zoom"]) ?? 0) > page.width && $0["loads"] == "0" }
        let width = try #require(Int(gallery.state["zoom"]))
        try gallery.saveScreen("zoom")
        try gallery.press("Right")
        try drag(gallery)
        try gallery.input("keydown Control_L mousemove 480 360 click 4 keyup Control_L")
        try gallery.wait(for: "a larger image") { (Int($0["zoom"]) ?? 0) > width && $0["image"] == "0" }
        try gallery.press("0")
        try gallery.wait(for: "the image that fits") { gallery.showsLarge(0, $0) }
        try gallery.press("space")
        try gallery.wait(for: "the next image") { gallery.showsLarge(1, $0) }
        try gallery.press("End")
        try gallery.wait(for: "the last image") { gallery.showsLarge(4_999, $0) }
        try gallery.press("BackSpace")
        try gallery.wait(for: "the image before") { gallery.showsLarge(4_998, $0) }
        // The button and the mouse go back; Escape does not end the program.
        let back = gallery.state.rectangle("back")
        try gallery.click(x: back.x + back.width / 2, y: back.y + back.height / 2)
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == 4_998 && $0.isSelectedOnScreen }
        try gallery.press("Return")
        try gallery.wait(for: "the image") { gallery.showsLarge(4_998, $0) }
        try gallery.input("mousemove 480 360 click 8")
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.isSelectedOnScreen }
        try gallery.press("Escape")
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.isIdle }
    }

    /// The image follows the pointer.
    private func drag(_ gallery: Gallery) throws {
        try gallery.wait(for: "a moved image") { $0.offset.left > 0 }
        let start = gallery.state.offset
        try gallery.input("mousemove 600 400 mousedown 1 mousemove 560 380 mousemove 500 350 mouseup 1")
        try gallery.wait(for: "the dragged image") { $0.offset.left == start.left + 100 && $0.offset.top == start.top + 50 }
    }

    @Test func theGalleryFillsTheScreen() throws {
        let gallery = try Gallery(isManaged: true)
        defer { gallery.end() }
        try gallery.wait(for: "images") { $0.page == "grid" && $0.isIdle }
        try gallery.press("Return")
        try gallery.wait(for: "the first image") { $0["image"] == "0" && $0["loaded"] == "true" }
        try gallery.press("F11")
        // The page has all of the screen but the frame that GTK draws without a compositor.
        try gallery.wait(for: "the whole screen") {
            let page = $0.rectangle("page-bounds")
            return $0["fullscreen"] == "true" && page.width >= 1_090 && page.height >= 770
        }
        try gallery.saveScreen("fullscreen")
        // Escape leaves the full screen first, and then the image.
        try gallery.press("Escape")
        try gallery.wait(for: "a window") { $0["fullscreen"] == "false" && $0["image"] == "0" }
        try gallery.press("F11")
        try gallery.wait(for: "the whole screen") { $0["fullscreen"] == "true" }
        try gallery.press("F11")
        try gallery.wait(for: "a window") { $0["fullscreen"] == "false" && $0["image"] == "0" }
        try gallery.press("Escape")
        try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == 0 }
    }

    @Test func mistakesAreReportedOnStandardError() throws {
        for arguments in [["/nonexistent"], ["/proc/self/fdinfo"], ["/nonexistent.txt"]] {
            let process = Process()
            process.executableURL = try StageProcess.program(Gallery.program)
            process.arguments = arguments
            let (output, errors) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, errors)
            try process.run()
            process.waitUntilExit()
            let message = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            #expect(process.terminationStatus == 1)
            #expect(message.hasPrefix("GalleryGTK: ") && message.contains(arguments[0]), "\(message)")
        }
    }
}
