#if GTK
    import Foundation
    import Testing

    /// The real gallery of `make gallery`, used by the pointer and the keyboard, and judged by its window and its trace.
    @Suite(.serialized, .timeLimit(.minutes(3))) struct Galleries {
        @Test(.enabled(if: Gallery.program != nil, "`make optional` builds it, and names it by CALOTYPE_GALLERY"))
        func theGalleryIsUsedByClicksAndKeys() throws {
            let gallery = try Gallery()
            defer { gallery.end() }
            try gallery.wait(for: "own pictures") { $0.page == "grid" && $0.cells.count > 30 && gallery.showsOwnPictures($0) }
            #expect(gallery.state["count"] == "5000")
            try gallery.keep("grid")
            try open(gallery)
            try chooseByKeys(gallery)
            try switchLayout(gallery)
            try toggle(gallery)
            // Nothing failed, and no cell was ever seen blank.
            #expect(gallery.state["failed"] == "0" && gallery.blankStates == 0)
            try gallery.press("q")
            #expect(gallery.ends())
        }

        private func open(_ gallery: Gallery) throws {
            // A click opens a picture,
            let cell = try #require(gallery.state.cells.dropFirst(11).first)
            try gallery.click(x: cell.x + 64, y: cell.y + 64)
            try gallery.wait(for: "the large picture") { gallery.showsLarge(cell.position, $0) }
            try gallery.keep("picture")
            // the arrow keys go on to its neighbours,
            try gallery.press("Right")
            try gallery.wait(for: "the next") { gallery.showsLarge(cell.position + 1, $0) }
            try gallery.press("Right", "Left", "Left", "Left")
            try gallery.wait(for: "the one before") { gallery.showsLarge(cell.position - 1, $0) }
            // and Escape goes back to where it lies in the grid. A second click on the way is none on another picture.
            try gallery.press("Escape")
            try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == cell.position - 1 && $0.isSelectedOnScreen }
            try gallery.click(x: cell.x + 64, y: cell.y + 64, times: 2)
            try gallery.wait(for: "the large picture") { gallery.showsLarge(cell.position, $0) }
            try gallery.press("Escape")
            try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == cell.position }
        }

        private func chooseByKeys(_ gallery: Gallery) throws {
            let columns = gallery.state.cells.count { $0.y == gallery.state.cells.first?.y }
            func choose(_ keys: String..., expect position: Int) throws {
                for key in keys { try gallery.press(key) }
                try gallery.wait(for: "\(keys) to \(position)") {
                    $0.selected == position && $0.isSelectedOnScreen && gallery.showsOwnPictures($0)
                }
            }
            // The pointer lies over the pictures, and has no say while the keyboard scrolls.
            try choose("Home", expect: 0)
            try choose("Right", "Right", "Down", expect: columns + 2)
            try choose("Up", "Left", expect: 1)
            let before = gallery.screen
            try choose("End", expect: 4_999)
            try gallery.keep("end")
            #expect(gallery.panelDiffers(from: before), "The statistics stood still.")
            try gallery.press("Page_Up")
            try gallery.wait(for: "a page up") { ($0.selected ?? 0) <= 4_999 - 3 * columns && $0.isSelectedOnScreen }
            try choose("Home", expect: 0)
            try gallery.press("Page_Down")
            try gallery.wait(for: "a page down") { ($0.selected ?? 0) >= 3 * columns && $0.isSelectedOnScreen }
            let chosen = try #require(gallery.state.selected)
            try gallery.press("Return")
            try gallery.wait(for: "the chosen picture") { gallery.showsLarge(chosen, $0) }
            try gallery.press("Escape")
            try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == chosen }
        }

        private func switchLayout(_ gallery: Gallery) throws {
            // The chosen picture stays where it is, by the button
            let chosen = try #require(gallery.state.selectedCell)
            let button = gallery.state.rectangle("button")
            try gallery.click(x: button.x + button.width / 2, y: button.y + button.height / 2)
            try gallery.wait(for: "the list") {
                $0.page == "list" && $0.selected == chosen.position && $0.isSelectedOnScreen && gallery.showsOwnPictures($0)
            }
            #expect(abs((gallery.state.selectedCell?.y ?? 0) - chosen.y) < 8)
            #expect(Set(gallery.state.cells.map(\.x)).count == 1)
            try gallery.keep("list")
            // with the keyboard in the list,
            try gallery.press("Down")
            try gallery.wait(for: "the row below") { $0.selected == chosen.position + 1 }
            try gallery.press("Up")
            try gallery.wait(for: "the row above") { $0.selected == chosen.position }
            let row = try #require(gallery.state.selectedCell)
            // and back by the key.
            try gallery.press("l")
            try gallery.wait(for: "the grid") { $0.page == "grid" && $0.selected == chosen.position && $0.isSelectedOnScreen }
            #expect(abs((gallery.state.selectedCell?.y ?? 0) - row.y) < 8)
            // Where it is not on screen, the first picture stays where it is, however far down,
            try gallery.turn(60)
            try gallery.wait(for: "other pictures") { ($0.cells.first?.position ?? 0) > chosen.position && $0.isAtRest }
            let first = try #require(gallery.state.firstWhole)
            for page in ["list", "grid", "list"] {
                try gallery.press("l")
                try gallery.wait(for: "the \(page)") {
                    $0.page == page && $0.firstWhole?.position == first.position && gallery.showsOwnPictures($0)
                }
            }
            // and the keys work in the list as in the grid.
            try gallery.press("End")
            try gallery.wait(for: "the last row") {
                $0.selected == 4_999 && $0.isSelectedOnScreen && gallery.showsOwnPictures($0)
            }
            try gallery.press("Return")
            try gallery.wait(for: "the last picture") { gallery.showsLarge(4_999, $0) }
            try gallery.press("Escape", "l")
            try gallery.wait(for: "the grid's end") { $0.page == "grid" && $0.selected == 4_999 && $0.isSelectedOnScreen }
        }

        private func toggle(_ gallery: Gallery) throws {
            // Somewhere in the middle, so that it shows whether the place is kept.
            try gallery.turn(-40)
            try gallery.wait(for: "the middle") { ($0.cells.last?.position ?? 4_999) < 4_950 && gallery.showsOwnPictures($0) }
            let (place, cells) = (gallery.state.rectangle("place"), gallery.state.cells)
            #expect(gallery.state["badges"] == "true" && gallery.showsBadges())
            try gallery.press("b")
            try gallery.wait(for: "no badges") { $0["badges"] == "false" && !gallery.showsBadges() }
            #expect(gallery.state.cells == cells && gallery.state.selected == 4_999, "Without badges, the grid is elsewhere.")
            try gallery.press("b")
            try gallery.wait(for: "badges") { $0["badges"] == "true" && gallery.showsBadges() }
            try gallery.press("s")
            try gallery.wait(for: "no statistics") { $0["panel"] == "false" && $0.rectangle("place").height > place.height + 20 }
            try gallery.keep("plain")
            try gallery.press("s")
            try gallery.wait(for: "statistics") { $0["panel"] == "true" && $0.rectangle("place") == place }
        }
    }
#endif
