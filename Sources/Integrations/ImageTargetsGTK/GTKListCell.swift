#if GTK
    internal import CCalotypeLibGTK
    internal import ImageCore
    internal import ImageTargets

    /// A cell of the list: a view, its target, and the position to which it is bound.
    @safe @MainActor final class GTKListCell {
        let view: GTKImageView
        let target: ImageTarget<GTKImageView>
        /// The widget that GTK uses as the cell: the view, or a row that contains it.
        var widget: UnsafeMutablePointer<GtkWidget>
        var position: Int?
        var isOnScreen = false
        /// Whether its request is still to be set.
        var needsRequest = false
        /// Whether an equal request is to be loaded again.
        var needsReload = false
        /// Whether it is in the list's `cellsToUpdate`.
        var needsUpdate = false

        init(loader: any ImageProviding, size: PixelSize) {
            view = GTKImageView(cellSize: size)
            unsafe widget = view.overlay
            target = ImageTarget(view, loader: loader)
            view.target = target
        }

        /// GTK's own widget around the widget of the cell, which is as high as the row.
        var parent: UnsafeMutablePointer<GtkWidget>? { unsafe gtk_widget_get_parent(widget) }

        /// The upper edge and the height of the cell in another widget, as of the last layout; `nil` if the cell is not
        /// laid out.
        func place(in other: UnsafeMutablePointer<GtkWidget>) -> (top: Double, height: Double)? {
            // Cells that GTK keeps in reserve are not mapped and have no bounds.
            guard position != nil, unsafe gtk_widget_get_mapped(widget) != 0 else { return nil }
            var rect = graphene_rect_t()
            guard unsafe gtk_widget_compute_bounds(parent, other, &rect) != 0 else { return nil }
            return (Double(rect.origin.y), Double(rect.size.height))
        }
    }
#endif
