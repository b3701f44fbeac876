#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageTargets

    /// A scrolling list of pictures that recycles its cells: a `GtkGridView` or a `GtkListView` in a `GtkScrolledWindow`.
    ///
    /// Only what is near the screen has a cell. A cell that leaves the screen lowers or cancels its load, by the option
    /// ``LoadOptions/offScreenPolicy``, before it is recycled; one that comes in takes it up again. Arrow keys move the focus,
    /// return and click activate.
    ///
    /// A memory hit or what stands in for a picture shows in the frame in which its cell appears. What all this takes of the
    /// main thread is bounded for each turn of the loop, and what is left goes on once the frame is painted: cells on screen come
    /// first, then the loads of those that left it, new loads, and what is near. A cell for which there is no time in its first
    /// frame, after a jump on a slow machine, is a grey area until the next one. None is painted blank, and none shows another's
    /// picture.
    ///
    /// ```swift
    /// @MainActor func grid(of urls: [URL], loader: any ImageProviding) -> GTKImageList {
    ///     let list = GTKImageList(loader: loader, cellSize: PixelSize(width: 96, height: 96)) { index in
    ///         var request = ImageRequest(url: urls[index])
    ///         request.options.offScreenPolicy = .cancels
    ///         return request
    ///     }
    ///     list.count = urls.count
    ///     return list
    /// }
    /// ```
    @safe @MainActor public final class GTKImageList {
        /// How the cells lie.
        public enum Layout {
            /// In as many columns as there is room for: a `GtkGridView`.
            case grid
            /// One below the other, each with a title to its right: a `GtkListView`. The title is asked for by position.
            case rows(title: @MainActor (Int) -> String)
        }

        /// The `GtkScrolledWindow` to put into a window. Valid as long as this list lives.
        public let widget: UnsafeMutableRawPointer

        /// Called with the position that was clicked, or chosen with the return key.
        public var onActivate: ((Int) -> Void)?

        /// How many pictures there are. Setting it asks for all requests anew.
        public var count = 0 {
            didSet {
                for cell in cells { cell.forget() }
                unsafe calotype_gtk_list_set_count(widget, UInt32(clamping: count))
            }
        }

        let loader: any ImageProviding
        let cellSize: PixelSize
        let layout: Layout
        let request: (Int) -> ImageRequest
        var cells: Set<ListCell> = []
        /// Cells for which something is to be done, each once.
        var waiting: [ListCell] = []
        private let box: ListBox

        /// - Parameters:
        ///   - cellSize: of a picture, in the application's pixels; requests get it as their target size, in device pixels.
        ///   - request: what to show at a position. Called whenever a cell comes near the screen.
        public init(
            loader: any ImageProviding, cellSize: PixelSize, layout: Layout = .grid, request: @escaping (Int) -> ImageRequest
        ) {
            (self.loader, self.cellSize, self.layout, self.request) = (loader, cellSize, layout, request)
            box = ListBox()
            var callbacks = unsafe ListBox.callbacks(box)
            let hasColumns = if case .grid = layout { true } else { false }
            unsafe widget = calotype_gtk_list_new(&callbacks, Int32(clamping: cellSize.width), hasColumns)
            unsafe calotype_gtk_ref(widget)
            box.list = self
        }

        isolated deinit {
            // No callback comes after this, so that nobody needs the box any more.
            unsafe calotype_gtk_list_detach(widget)
            unsafe Unmanaged.passUnretained(box).release()
            unsafe calotype_gtk_unref(widget)
        }

        /// How far the list is scrolled, in the application's pixels; at most ``maximumOffset``.
        public var offset: Double {
            get {
                var maximum = 0.0
                return unsafe calotype_gtk_list_offset(widget, &maximum)
            }
            set { unsafe calotype_gtk_list_set_offset(widget, newValue) }
        }

        /// How far it can be scrolled.
        public var maximumOffset: Double {
            var maximum = 0.0
            _ = unsafe calotype_gtk_list_offset(widget, &maximum)
            return maximum
        }

        /// Moves the keyboard's focus into the list.
        public func focus() { unsafe calotype_gtk_list_focus(widget) }

        /// A cell that is on screen, and where: x, y, width, height in the application's pixels from the upper left of
        /// another widget, the window for instance.
        public struct VisibleCell: Sendable {
            public var position: Int
            public var bounds: (x: Double, y: Double, width: Double, height: Double)
            /// Whether its picture has not come yet.
            public var isLoading: Bool
            /// Whether it shows nothing, not even what stands in for its picture.
            public var isBlank: Bool
            /// Whether it is the grey area of a cell for which there was no time yet.
            public var isGrey: Bool
        }

        /// The cells that are on screen, in order.
        public func visibleCells(in other: UnsafeMutableRawPointer) -> [VisibleCell] {
            cells.compactMap { cell in
                guard let position = cell.state.position, cell.state.isOnScreen,
                    let bounds = unsafe bounds(of: cell.view.widget, in: other)
                else { return nil }
                return VisibleCell(
                    position: position, bounds: bounds, isLoading: cell.isLoading, isBlank: cell.view.isBlank,
                    isGrey: cell.isGrey)
            }.sorted { $0.position < $1.position }
        }

        private func bounds(
            of part: UnsafeMutableRawPointer, in other: UnsafeMutableRawPointer
        ) -> (x: Double, y: Double, width: Double, height: Double)? {
            var bounds: [Double] = [0, 0, 0, 0]
            guard unsafe calotype_gtk_bounds(part, other, &bounds) else { return nil }
            return (bounds[0], bounds[1], bounds[2], bounds[3])
        }

        /// Cells that exist, on screen or not.
        public var cellCount: Int { cells.count }
    }
#endif
