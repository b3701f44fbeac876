#if GTK
    internal import ImageCore
    internal import ImageTargets

    /// A cell of the list: a view, its target, and the position to which it is bound.
    @safe @MainActor final class GTKListCell: Hashable {
        /// What is still to be done for a cell.
        enum PendingState { case request, load, nothing }

        let view: GTKImageView
        let target: ImageTarget<GTKImageView>
        /// The widget that GTK uses as the cell: the view, or a row that contains it.
        var widget: UnsafeMutableRawPointer
        var position: Int?
        var isOnScreen = false
        var pending = PendingState.nothing
        /// Whether it still shows the image from before its request was renewed.
        var isOutdated = false
        /// Whether it is in the list's `cellsToUpdate`.
        var needsUpdate = false

        init(loader: any ImageProviding, size: PixelSize) {
            view = GTKImageView(cellSize: size)
            unsafe widget = view.widget
            target = ImageTarget(view, loader: loader)
            view.target = target
        }

        nonisolated static func == (a: GTKListCell, b: GTKListCell) -> Bool { a === b }
        nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
#endif
