#if GTK
    internal import CCalotypeGTK
    internal import ImageCore

    /// What GTK calls. Hundreds of cells may be bound and unbound in one frame, most of them off screen: that is only noted, and
    /// done as far as there is time once the frame is laid out.
    extension GTKImageList {
        func makeCell() -> ListCell {
            let cell = ListCell(loader: loader)
            unsafe calotype_gtk_view_set_size(cell.view.widget, Int32(clamping: cellSize.width), Int32(clamping: cellSize.height))
            if case .rows = layout { unsafe cell.widget = calotype_gtk_row_new(cell.view.widget) }
            cells.insert(cell)
            return cell
        }

        func bind(_ cell: ListCell, _ position: Int) {
            cell.state.bind(position)
            if case .rows(let title) = layout { unsafe calotype_gtk_row_set_title(cell.widget, title(position)) }
            wait(cell)
        }

        func unbind(_ cell: ListCell) {
            cell.state.unbind()
            wait(cell)
        }

        func drop(_ cell: ListCell) {
            cell.clearTarget()
            cells.remove(cell)
        }

        func set(_ cell: ListCell, onScreen isOnScreen: Bool) {
            cell.state.setOnScreen(isOnScreen)
            wait(cell)
        }

        /// The monitor's scale changed, and with it how many pixels are asked for.
        func scaled() {
            for cell in cells {
                cell.state.makeStale()
                wait(cell)
            }
        }

        private func wait(_ cell: ListCell) {
            guard !cell.isWaiting else { return }
            cell.isWaiting = true
            waiting.append(cell)
        }

        /// A frame is laid out and not yet painted, or one was painted that left something. Does what is most urgent first, until
        /// its time is up. Returns whether something is left.
        func work() -> Bool {
            let end = calotype_gtk_processor_time() + GTKImageList.timePerTurn
            var cells = [[ListCell]](repeating: [], count: ListCellState.Step.allCases.count)
            for cell in waiting { if let step = cell.state.step { cells[step.rawValue].append(cell) } }
            var isLate = false
            for step in ListCellState.Step.allCases where !isLate {
                for cell in cells[step.rawValue] {
                    if isLate {
                        if step == .show { cell.showGrey() }
                        continue
                    }
                    carryOut(step, for: cell)
                    if let next = cell.state.step, next.rawValue > step.rawValue { cells[next.rawValue].append(cell) }
                    isLate = calotype_gtk_processor_time() > end
                }
            }
            waiting.removeAll { cell in
                cell.isWaiting = cell.state.step != nil
                return !cell.isWaiting
            }
            return !waiting.isEmpty
        }

        /// Microseconds of processor time: a quarter of a frame at sixty a second, so that GTK has the rest.
        private static let timePerTurn: Int64 = 4_000

        private func carryOut(_ step: ListCellState.Step, for cell: ListCell) {
            switch step {
            case .show: show(cell)
            case .load:
                cell.tell(isVisible: true)
                cell.load()
            case .leave where cell.state.position != nil && cell.state.content != .stale: cell.tell(isVisible: false)
            case .leave, .clear: cell.clearTarget()
            case .prepare:
                cell.tell(isVisible: false)
                if cell.state.content != .placeholder { show(cell) }
                cell.load()
            }
        }

        private func show(_ cell: ListCell) {
            guard let position = cell.state.position, position < count else { return cell.clearTarget() }
            var request = request(position)
            if request.options.targetSize == nil {
                request.options.targetSize = cell.view.devicePixels(cellSize)
                request.options.contentMode = .fill
            }
            cell.show(request)
        }
    }
#endif
