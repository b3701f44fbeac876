#if GTK
    internal import CCalotypeGTK
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

        /// Moves an image. It stays selected, and other cells keep their images. Change your own data first.
        ///
        /// - Parameters:
        ///   - position: its position. Nothing happens if it does not exist.
        ///   - newPosition: its position after the move.
        public func move(from position: Int, to newPosition: Int) {
            guard position != newPosition, (0..<count).contains(position), (0..<count).contains(newPosition) else { return }
            let isSelected = selection.contains(position)
            let others = selection.subtracting([position])
            isMoving = true
            splice(position, removing: 1, adding: 0)
            splice(newPosition, removing: 0, adding: 1)
            if isSelected {
                let removed = others.map { $0 > position ? $0 - 1 : $0 }
                selection = Set(removed.map { $0 >= newPosition ? $0 + 1 : $0 } + [newPosition])
            }
            isMoving = false
            reportSelection()
        }

        /// Renews the request of an image, whose cell may already be on screen. Nothing happens if the position does not exist.
        public func reload(_ position: Int) {
            for cell in cells where cell.position == position { renewShownRequest(of: cell) }
            unsafe calotype_gtk_list_update_soon(widget)
        }

        private func splice(_ position: Int, removing removed: Int, adding added: Int) {
            storedCount += added - removed
            // Some versions of GTK unbind all later cells and bind them again, most of them to the same image.
            unboundCells = []
            unsafe calotype_gtk_list_splice(
                widget, UInt32(clamping: position), UInt32(clamping: removed), UInt32(clamping: added))
            for cell in unboundCells ?? [] where cell.position == nil { cell.target.clear() }
            unboundCells = nil
        }

        // MARK: Selection

        /// The selected position, or the first of several; `nil` if there is none. Arrow keys and clicks change it, and the return key
        /// activates it. Setting it selects no other position and scrolls it on screen in the next frame. Setting `nil` or a position
        /// that does not exist does nothing.
        public var selected: Int? {
            get { selection.min() }
            set {
                guard let newValue, newValue >= 0 else { return }
                unsafe calotype_gtk_list_select(widget, UInt32(clamping: newValue))
            }
        }

        /// The selected positions. Setting it does not scroll; in a list that selects one position, the first one counts, and an empty
        /// set does nothing.
        public var selection: Set<Int> {
            get {
                let count = unsafe calotype_gtk_list_selection(widget, nil, 0)
                var positions = [UInt32](repeating: 0, count: Int(count))
                _ = unsafe calotype_gtk_list_selection(widget, &positions, count)
                return Set(positions.map { Int($0) })
            }
            set {
                let positions = newValue.sorted().map { UInt32(clamping: $0) }
                unsafe calotype_gtk_list_set_selection(widget, positions, UInt32(clamping: positions.count))
            }
        }

        /// Reports the selection if it has changed.
        func reportSelection() {
            guard !isMoving, selection != reportedSelection else { return }
            reportedSelection = selection
            onSelectionChange?(selection)
        }
    }
#endif
