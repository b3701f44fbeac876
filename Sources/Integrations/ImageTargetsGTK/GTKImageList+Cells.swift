#if GTK
    internal import CCalotypeGTK
    internal import ImageCore
    internal import ImageTargets

    // Called by GTK through GTKListBox.
    extension GTKImageList {
        func addCell() -> GTKListCell {
            let cell = GTKListCell(loader: loader, size: cellSize)
            if let makeCell = unsafe makeCell {
                unsafe cell.widget = makeCell(cell.view)
            } else if case .rows = layout {
                unsafe cell.widget = calotype_gtk_row_new(cell.view.widget)
            }
            cells.insert(cell)
            return cell
        }

        /// Defers the load until the layout is known: GTK may bind hundreds of cells in one frame, most of them off screen.
        func bind(_ cell: GTKListCell, _ position: Int) {
            (cell.position, cell.isOnScreen) = (position, false)
            renewRequest(of: cell)
            describe(cell, position)
        }

        /// The cell keeps its image at another position.
        func move(_ cell: GTKListCell, _ position: Int) {
            cell.position = position
            describe(cell, position)
        }

        /// Updates what a cell shows besides its image.
        private func describe(_ cell: GTKListCell, _ position: Int) {
            if unsafe makeCell != nil {
                unsafe updateCell?(cell.widget, position)
            } else if case .rows(let title) = layout {
                unsafe calotype_gtk_row_set_title(cell.widget, title(position))
            }
        }

        func unbind(_ cell: GTKListCell) {
            if unboundCells != nil {
                unboundCells?.append(cell)
            } else if cell.pending != .request {
                cell.target.clear()
            }
            clearOutdated(cell)
            (cell.position, cell.isOnScreen, cell.pending) = (nil, false, .nothing)
        }

        /// Clears the image that the cell shows from before its request was renewed. An equal request would not replace it.
        private func clearOutdated(_ cell: GTKListCell) {
            if cell.isOutdated { cell.target.clear() }
            cell.isOutdated = false
        }

        func drop(_ cell: GTKListCell) {
            cell.target.clear()
            (cell.position, cell.isOnScreen, cell.pending) = (nil, false, .nothing)
            cells.remove(cell)
        }

        /// A cell that leaves the screen suspends its load at once.
        func setOnScreen(_ cell: GTKListCell, _ isOnScreen: Bool) {
            cell.isOnScreen = isOnScreen
            if isOnScreen { updateSoon(cell) } else { cell.target.setVisible(false) }
        }

        /// Shows at least the placeholder of every cell that came on screen, before GTK paints the frame. Then starts loads for a
        /// bounded time, those of cells on screen first. Returns whether cells are left for the next frame.
        func updateCells() -> Bool {
            let end = ContinuousClock.now + GTKImageList.timePerFrame
            var (arrived, near): ([GTKListCell], [GTKListCell]) = ([], [])
            let due = cellsToUpdate
            cellsToUpdate = []
            for cell in due { cell.needsUpdate = false }
            for cell in due where cell.position != nil {
                if cell.isOnScreen {
                    if cell.pending == .request { prepare(cell) }
                    arrived.append(cell)
                } else if cell.pending != .nothing {
                    near.append(cell)
                }
            }
            for (index, cell) in (arrived + near).enumerated() {
                guard index == 0 || ContinuousClock.now < end else {
                    for cell in (arrived + near)[index...] { updateSoon(cell) }
                    return true
                }
                cell.target.setVisible(cell.isOnScreen)
                show(cell)
            }
            return false
        }

        /// A quarter of a frame at 60 frames per second. GTK needs the rest.
        private static let timePerFrame = Duration.milliseconds(4)

        /// Renews the requests of all cells. Equal requests are loaded again, since their images may need another size.
        func renewRequests() {
            for cell in cells where cell.position != nil { renewShownRequest(of: cell) }
        }

        /// Renews the request of a cell that may already show its image.
        func renewShownRequest(of cell: GTKListCell) {
            cell.isOutdated = cell.isOutdated || cell.pending != .request
            renewRequest(of: cell)
        }

        /// Renews the request of a cell in the next update, when it is known whether the cell is on screen.
        private func renewRequest(of cell: GTKListCell) {
            cell.pending = .request
            updateSoon(cell)
        }

        /// Updates the cell in the next frame.
        private func updateSoon(_ cell: GTKListCell) {
            guard !cell.needsUpdate else { return }
            cell.needsUpdate = true
            cellsToUpdate.append(cell)
        }

        /// Shows the image of a memory hit, or otherwise the placeholder.
        private func prepare(_ cell: GTKListCell) {
            guard let position = cell.position, position < count else { return cell.pending = .nothing }
            cell.pending = .load
            clearOutdated(cell)
            guard let request = request(position) else { return cell.target.setImage(nil) }
            cell.target.prepareImage(request)
        }

        private func show(_ cell: GTKListCell) {
            if cell.pending == .request { prepare(cell) }
            if cell.pending == .load { cell.target.startLoad() }
            cell.pending = .nothing
        }
    }
#endif
