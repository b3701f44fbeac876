#if GTK
    internal import CCalotypeLibGTK
    internal import ImageCore
    internal import ImageTargets

    extension GTKImageList {
        /// Inserts images. Other cells keep their images.
        ///
        /// Change your own data first: the closures of the list are called with the new positions from now on.
        ///
        /// - Parameters:
        ///   - number: the number of images; 1 by default.
        ///   - position: the position of the first one, from 0 to ``count``.
        public func insert(_ number: Int = 1, at position: Int) {
            guard number > 0, (0...count).contains(position) else { return }
            splice(position, removing: 0, adding: number)
        }

        /// Removes images. Other cells keep their images. Change your own data first.
        ///
        /// - Parameters:
        ///   - number: the number of images; 1 by default. Those after the last one do not count.
        ///   - position: the position of the first one. Nothing happens if it does not exist.
        public func remove(_ number: Int = 1, at position: Int) {
            guard number > 0, (0..<count).contains(position) else { return }
            splice(position, removing: min(number, count - position), adding: 0)
        }

        /// Renews the request of an image, whose cell may already be on screen. The cell keeps its image if the request
        /// is for the same one and its cache policy asks the source (`reload`, `revalidate`), and is cleared otherwise.
        /// Nothing happens if the position does not exist.
        public func reload(_ position: Int) {
            if let cell = cell(at: position) {
                cell.needsReload = true
                renewRequest(of: cell)
            }
            updateSoon()
        }

        private func splice(_ position: Int, removing removed: Int, adding added: Int) {
            storedCount += added - removed
            // Some versions of GTK unbind all later cells and bind them again, most of them to the same image.
            unboundCells = []
            spliceItems(position, removing: removed, adding: added)
            for cell in unboundCells ?? [] where cell.position == nil { cell.target.clear() }
            unboundCells = nil
        }

        /// Changes GTK's items. Only their positions matter, not their text.
        func spliceItems(_ position: Int, removing removed: Int, adding added: Int) {
            unsafe "".withCString { text in
                let additions = unsafe [UnsafePointer<CChar>?](repeating: text, count: added) + [nil]
                unsafe gtk_string_list_splice(items, guint(clamping: position), guint(clamping: removed), additions)
            }
            updateSoon()
        }

        // MARK: Selection

        /// The selected position, or the first of several; `nil` if there is none. Arrow keys and clicks change it, and
        /// the return key activates it. Setting it selects no other position and scrolls it on screen in the next
        /// frame. Setting `nil` or a position that does not exist does nothing.
        public var selected: Int? {
            get { selection.min() }
            set {
                guard let newValue, (0..<count).contains(newValue) else { return }
                selectOnly(newValue)
                scroll(toPosition: newValue)
            }
        }

        func selectOnly(_ position: Int) { unsafe gtk_selection_model_select_item(selectionModel, guint(clamping: position), 1) }

        /// The selected positions. Setting it does not scroll; in a list that selects one position, the first one
        /// counts, and an empty set does nothing.
        public var selection: Set<Int> {
            get {
                let selected = unsafe gtk_selection_model_get_selection(selectionModel)
                defer { unsafe gtk_bitset_unref(selected) }
                return unsafe Set((0..<gtk_bitset_get_size(selected)).map { unsafe Int(gtk_bitset_get_nth(selected, guint($0))) })
            }
            set {
                let positions = newValue.filter { 0..<count ~= $0 }
                guard selectionMode == .multiple else {
                    if let first = positions.min() { selectOnly(first) }
                    return
                }
                let (selected, all) = unsafe (gtk_bitset_new_empty(), gtk_bitset_new_range(0, guint(clamping: count)))
                for position in positions { unsafe gtk_bitset_add(selected, guint(clamping: position)) }
                unsafe gtk_selection_model_set_selection(selectionModel, selected, all)
                unsafe gtk_bitset_unref(selected)
                unsafe gtk_bitset_unref(all)
            }
        }

        /// Watches the selection, which also changes when a selected item is removed.
        func watchSelection() {
            guard selectionMode == .multiple else {
                // A GtkSingleSelection selects another item when its item is removed, without the signal
                // `selection-changed`.
                unsafe GTKSignals.connect(selectionModel, "notify::selected-item") { [weak self] in self?.reportSelection() }
                return
            }
            unsafe GTKSignals.connect(selectionModel, "selection-changed") { [weak self] in self?.reportSelection() }
            unsafe GTKSignals.connect(selectionModel, "items-changed") { [weak self] arguments in
                if arguments.number(1) > 0 { self?.reportSelection() }
                return false
            }
        }

        /// Reports the selection if it has changed.
        func reportSelection() {
            guard selection != reportedSelection else { return }
            reportedSelection = selection
            onSelectionChange?(selection)
        }
    }
#endif
