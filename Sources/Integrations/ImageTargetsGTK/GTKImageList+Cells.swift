#if GTK
    internal import CCalotypeLibGTK
    internal import ImageCore
    internal import ImageTargets

    // The cells, which GTK makes and binds by a factory for its list items.
    extension GTKImageList {
        func makeFactory() -> OpaquePointer? {
            let factory = unsafe gtk_signal_list_item_factory_new()
            func connect(_ signal: String, _ body: @escaping @MainActor (GTKImageList, UnsafeMutableRawPointer) -> Void) {
                unsafe GTKSignals.connect(factory, signal) { [weak self] arguments in
                    if let self, let item = unsafe arguments.pointer(0) { unsafe body(self, item) }
                    return false
                }
            }
            unsafe connect("setup") { unsafe $0.addCell(to: $1) }
            unsafe connect("bind") { list, item in
                let position = unsafe gtk_list_item_get_position(gtkCast(item))
                if let cell = list.cells[UInt(bitPattern: item)] { list.bind(cell, Int(position)) }
            }
            unsafe connect("unbind") { if let cell = $0.cells[UInt(bitPattern: $1)] { $0.unbind(cell) } }
            unsafe connect("teardown") { list, item in
                unsafe gtk_list_item_set_child(gtkCast(item), nil)
                guard let cell = list.cells.removeValue(forKey: UInt(bitPattern: item)) else { return }
                cell.target.clear()
                (cell.position, cell.isOnScreen, cell.needsRequest) = (nil, false, false)
            }
            return unsafe factory
        }

        private func addCell(to item: UnsafeMutableRawPointer) {
            let cell = GTKListCell(loader: loader, size: cellSize)
            if let makeCell = unsafe makeCell {
                unsafe cell.widget = gtkCast(makeCell(cell.view))
            } else if case .rows = layout {
                unsafe cell.widget = makeRow(cell)
            }
            cells[UInt(bitPattern: item)] = cell
            unsafe gtk_list_item_set_child(gtkCast(item), cell.widget)
            // Cells keep their items when items before them are inserted or removed.
            let number = UInt(bitPattern: item)
            unsafe GTKSignals.connect(item, "notify::position") { [weak self] in self?.move(number) }
        }

        /// Makes a row with a view and a title to its right.
        private func makeRow(_ cell: GTKListCell) -> UnsafeMutablePointer<GtkWidget> {
            let row: UnsafeMutablePointer<GtkWidget> = unsafe gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)
            unsafe gtk_box_append(gtkCast(row), cell.widget)
            let title = unsafe gtk_label_new(nil)
            unsafe gtk_label_set_ellipsize(gtkCast(title), PANGO_ELLIPSIZE_END)
            unsafe gtk_label_set_xalign(gtkCast(title), 0)
            unsafe gtk_widget_set_hexpand(title, 1)
            unsafe gtk_box_append(gtkCast(row), title)
            return unsafe row
        }

        /// Defers the load until the layout is known: GTK may bind hundreds of cells in one frame, most of them off
        /// screen.
        private func bind(_ cell: GTKListCell, _ position: Int) {
            (cell.position, cell.isOnScreen) = (position, false)
            renewRequest(of: cell)
            describe(cell, position)
            updateSoon()
        }

        /// The cell of an item keeps its image at another position.
        private func move(_ item: UInt) {
            guard let cell = cells[item], let old = cell.position else { return }
            let position = unsafe gtk_list_item_get_position(OpaquePointer(bitPattern: item))
            guard position != guint.max, Int(position) != old else { return }
            cell.position = Int(position)
            describe(cell, Int(position))
        }

        /// Updates what a cell shows besides its image.
        private func describe(_ cell: GTKListCell, _ position: Int) {
            if unsafe makeCell != nil {
                unsafe updateCell?(UnsafeMutableRawPointer(cell.widget), position)
            } else if case .rows(let title) = layout {
                unsafe gtk_label_set_text(gtkCast(gtk_widget_get_last_child(cell.widget)), title(position))
            }
        }

        private func unbind(_ cell: GTKListCell) {
            if unboundCells != nil {
                unboundCells?.append(cell)
            } else if !cell.needsRequest {
                cell.target.clear()
            }
            (cell.position, cell.isOnScreen, cell.needsRequest, cell.needsReload) = (nil, false, false, false)
        }

        /// Updates which cells are on screen. A cell that leaves the screen suspends its load at once.
        func updateOnScreen() {
            let page = unsafe Double(gtk_widget_get_height(window))
            for cell in cells.values {
                let isOnScreen = unsafe cell.place(in: window).map { $0.top < page && $0.top + $0.height > 0 } ?? false
                guard cell.isOnScreen != isOnScreen else { continue }
                cell.isOnScreen = isOnScreen
                if isOnScreen { updateSoon(cell) } else { cell.target.setVisible(false) }
            }
        }

        /// The cell that is bound to a position.
        func cell(at position: Int?) -> GTKListCell? {
            position.flatMap { position in cells.values.first { $0.position == position } }
        }

        /// The first cell that is on screen as a whole, or else the first one that is on screen in part.
        var firstCell: GTKListCell? {
            let places = cells.values.compactMap { cell in
                unsafe cell.isOnScreen ? cell.place(in: window).map { (cell: cell, isWhole: $0.top >= 0) } : nil
            }
            let whole = places.filter(\.isWhole)
            return (whole.isEmpty ? places : whole).min { ($0.cell.position ?? 0) < ($1.cell.position ?? 0) }?.cell
        }

        /// Updates every cell that came on screen, before GTK paints the frame. Then sets the requests of cells off
        /// screen for a bounded time. Returns whether cells are left for the next frame.
        func updateCells() -> Bool {
            let end = ContinuousClock.now + GTKImageList.timePerFrame
            let due = cellsToUpdate
            cellsToUpdate = []
            for cell in due { cell.needsUpdate = false }
            for cell in due where cell.isOnScreen { update(cell) }
            let near = due.filter { !$0.isOnScreen && $0.needsRequest }
            for (index, cell) in near.enumerated() {
                guard index == 0 || ContinuousClock.now < end else {
                    for cell in near[index...] { updateSoon(cell) }
                    return true
                }
                update(cell)
            }
            return false
        }

        /// A quarter of a frame at 60 frames per second. GTK needs the rest.
        private static let timePerFrame = Duration.milliseconds(4)

        /// Renews the requests of all cells. Equal requests are loaded again, since their images may need another size.
        func renewRequests() {
            for cell in cells.values where cell.position != nil { renewShownRequest(of: cell) }
        }

        /// Renews the request of a cell that may already show its image. An equal request would not replace it.
        func renewShownRequest(of cell: GTKListCell) {
            cell.target.clear()
            renewRequest(of: cell)
        }

        /// Renews the request of a cell in the next update, when it is known whether the cell is on screen.
        func renewRequest(of cell: GTKListCell) {
            cell.needsRequest = true
            updateSoon(cell)
        }

        /// Updates the cell in the next frame.
        private func updateSoon(_ cell: GTKListCell) {
            guard !cell.needsUpdate else { return }
            cell.needsUpdate = true
            cellsToUpdate.append(cell)
        }

        private func update(_ cell: GTKListCell) {
            cell.target.setVisible(cell.isOnScreen)
            guard cell.needsRequest, let position = cell.position else { return }
            cell.needsRequest = false
            guard position < count else { return }
            guard let request = request(position) else { return cell.target.setImage(nil) }
            if cell.needsReload, (try? loader.options(for: request).cachePolicy.asksSource) != true { cell.target.clear() }
            cell.needsReload = false
            cell.target.setImage(request)
        }
    }
#endif
