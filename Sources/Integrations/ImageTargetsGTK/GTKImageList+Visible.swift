#if GTK
    internal import CCalotypeLibGTK

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
            let visible: [VisibleCell] = cells.values.compactMap { cell in
                var rect = graphene_rect_t()
                guard cell.isOnScreen, cell.view.isMapped, let position = cell.position,
                    unsafe gtk_widget_compute_bounds(cell.view.overlay, gtkCast(other), &rect) != 0
                else { return nil }
                let size = (Double(rect.size.width), Double(rect.size.height))
                return VisibleCell(
                    position: position, bounds: (Double(rect.origin.x), Double(rect.origin.y), size.0, size.1),
                    isLoading: cell.needsRequest || cell.view.isLoading, isBlank: cell.view.isBlank)
            }
            return visible.sorted { $0.position < $1.position }
        }

        /// The number of cells, on screen or not.
        public var cellCount: Int { cells.count }
    }
#endif
