#if GTK
    internal import CCalotypeLibGTK
    internal import ImageCore
    internal import ImageTargets

    // The view in the scrolled window, and the work of each frame.
    extension GTKImageList {
        /// Makes the view of the layout, and puts it into the window.
        func makeView() {
            let (selection, factory) = unsafe (
                gtkCast(g_object_ref(gtkCast(selectionModel)), to: OpaquePointer.self), makeFactory()
            )
            let selectsSeveral: gboolean = selectionMode == .multiple ? 1 : 0
            if layout.hasColumns {
                unsafe view = gtk_grid_view_new(selection, factory)
                unsafe gtk_grid_view_set_enable_rubberband(gtkCast(view), selectsSeveral)
                unsafe gtk_grid_view_set_min_columns(gtkCast(view), 1)
                unsafe gtk_grid_view_set_max_columns(gtkCast(view), 4)
                // Otherwise, the columns would share the whole width, with gaps between the cells.
                unsafe gtk_widget_set_halign(view, GTK_ALIGN_CENTER)
            } else {
                unsafe view = gtk_list_view_new(selection, factory)
                unsafe gtk_list_view_set_enable_rubberband(gtkCast(view), selectsSeveral)
            }
            (isLaidOut, columnWidth) = (false, nil)
            unsafe GTKSignals.connect(view, "notify::scale-factor") { [weak self] in
                guard let self else { return }
                // A cell keeps its image until one of the new size is there.
                for cell in cells.values where cell.position != nil {
                    cell.target.viewSizeChanged()
                    renewRequest(of: cell)
                }
                updateSoon()
            }
            unsafe GTKSignals.connect(view, "realize") { [weak self] in self?.realized() }
            unsafe GTKSignals.connect(view, "unrealize") { [weak self] in self?.unrealized() }
            unsafe GTKSignals.connect(view, "map") { [weak self] in self?.updateSoon() }
            unsafe GTKSignals.connect(view, "unmap") { [weak self] in
                // When the list is hidden, no cell is on screen.
                self?.updateOnScreen()
                self?.needsUpdate = true
            }
            watchActivation()
            unsafe gtk_scrolled_window_set_child(gtkCast(window), view)
            fitColumns()
        }

        /// Makes a view with new cells for another layout.
        func replaceView() {
            // The selected cell keeps its place. If it is not on screen, the first cell on screen does.
            let page = unsafe Double(gtk_widget_get_height(window))
            let selected = cell(at: selected).flatMap { cell in unsafe cell.place(in: window).map { (cell, $0) } }
            let isSelectedOnScreen = selected.map { $0.1.top >= 0 && $0.1.top + $0.1.height <= page } ?? false
            if scrolling.position == nil, let chosen = isSelectedOnScreen ? selected?.0 : firstCell {
                unsafe scroll(toPosition: chosen.position, top: chosen.place(in: window)?.top)
            } else if scrolling.position == nil {
                scroll(toPosition: self.selected)
            }
            let root = unsafe gtk_widget_get_root(view)
            let focus = unsafe root.flatMap { unsafe gtk_root_get_focus($0) }
            let hadFocus = unsafe focus.map { unsafe $0 == view || gtk_widget_is_ancestor($0, view) != 0 } ?? false
            // Without this, GTK would move the focus to another widget and select the first cell.
            if hadFocus { unsafe gtk_root_set_focus(root, nil) }
            makeView()
            guard hadFocus else { return }
            wantedFocus = scrolling.position
            if wantedFocus == nil { unsafe gtk_widget_grab_focus(view) }
        }

        /// Moves the keyboard focus to the selected cell and scrolls it on screen.
        public func focus() {
            guard let position = selected else { return unsafe _ = gtk_widget_grab_focus(view) }
            if let cell = cell(at: position), isLaidOut, scrolling.position == nil { return focus(cell) }
            // The focus moves as soon as the position has a cell.
            wantedFocus = position
            scroll(toPosition: position)
        }

        private func focus(_ cell: GTKListCell) {
            wantedFocus = nil
            if let parent = unsafe cell.parent { unsafe gtk_widget_grab_focus(parent) }
        }

        /// Limits the columns to those that fit, so that the grid, in the middle of the window, has no gaps between its
        /// cells. GTK keeps cells for thirty rows of the maximum number of columns, so that a higher limit would cost
        /// thousands of cells.
        private func fitColumns() {
            guard layout.hasColumns else { return }
            if columnWidth == nil, let cell = firstCell {
                var width: gint = 0
                unsafe gtk_widget_measure(cell.parent, GTK_ORIENTATION_HORIZONTAL, -1, &width, nil, nil, nil)
                columnWidth = Int(width)
            }
            let width = unsafe Int(gtk_widget_get_width(window))
            let columns = guint(min(200, max(1, width / max(1, cellSize.width, columnWidth ?? 0))))
            if width > 0, unsafe gtk_grid_view_get_max_columns(gtkCast(view)) != columns {
                unsafe gtk_grid_view_set_max_columns(gtkCast(view), columns)
            }
        }

        // MARK: Frames

        /// Updates the cells in the next frame, after the layout has placed them.
        func updateSoon() {
            needsUpdate = true
            if let clock = unsafe clock { unsafe gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_LAYOUT) }
        }

        private func realized() {
            unsafe clock = gtk_widget_get_frame_clock(view)
            clockHandlers = unsafe [
                GTKSignals.connect(clock, "update") { [weak self] in if self?.isLaidOut == true { self?.scroll() } },
                // GTK's own handler, which lays out, runs first.
                GTKSignals.connect(clock, "layout", runsAfter: true) { [weak self] in self?.laidOut() },
                GTKSignals.connect(clock, "after-paint") { [weak self] in self?.painted() },
            ]
            updateSoon()
        }

        private func unrealized() {
            for handler in clockHandlers { handler.disconnect() }
            unsafe (clock, clockHandlers) = (nil, [])
        }

        private func laidOut() {
            guard unsafe gtk_widget_get_mapped(view) != 0 else { return }
            let isFirstLayout = !isLaidOut
            isLaidOut = true
            // If another layout follows, it may replace the cells, so that they are updated after it.
            if isFirstLayout && scroll() || scrollToPosition() { return updateSoon() }
            guard needsUpdate else { return }
            needsUpdate = false
            updateOnScreen()
            hasUnfinishedCells = updateCells()
        }

        /// Changes of the layout and unfinished cells wait until the frame is painted. Before that, GTK would lay out
        /// the same frame again and again.
        private func painted() {
            fitColumns()
            if let cell = cell(at: wantedFocus), unsafe gtk_widget_get_mapped(view) != 0 { focus(cell) }
            if hasUnfinishedCells { updateSoon() }
            hasUnfinishedCells = false
        }
    }
#endif
