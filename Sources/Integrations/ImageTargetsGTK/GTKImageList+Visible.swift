#if GTK
    internal import CCalotypeGTK

    extension GTKImageList {
        /// A cell that is on screen.
        public struct VisibleCell: Sendable {
            /// The position of the cell's image in the list.
            public var position: Int
            /// The bounds in the application's pixels, relative to the upper left corner of another widget.
            public var bounds: (x: Double, y: Double, width: Double, height: Double)
            /// Whether its image is still loading.
            public var isLoading: Bool
            /// Whether it shows neither an image nor a placeholder.
            public var isBlank: Bool
        }

        /// Returns the cells that were on screen in the last frame, ordered by position.
        ///
        /// - Parameter other: the widget to which their bounds are relative, for example the window.
        public func visibleCells(in other: UnsafeMutableRawPointer) -> [VisibleCell] {
            var visible: [VisibleCell] = []
            for cell in cells where cell.isOnScreen {
                var bounds = (0.0, 0.0, 0.0, 0.0)
                guard let position = cell.position,
                    unsafe calotype_gtk_bounds(cell.view.widget, other, &bounds.0, &bounds.1, &bounds.2, &bounds.3)
                else { continue }
                visible.append(
                    VisibleCell(
                        position: position, bounds: bounds, isLoading: cell.pending != .nothing || cell.view.isLoading,
                        isBlank: cell.view.isBlank))
            }
            return visible.sorted { $0.position < $1.position }
        }

        /// The number of cells, on screen or not.
        public var cellCount: Int { cells.count }
    }
#endif
