#if GTK
    internal import CCalotypeGTK
    public import ImageCore

    /// A scrolling list of images that recycles its cells: a `GtkGridView` or a `GtkListView` in a `GtkScrolledWindow`.
    ///
    /// Only positions near the screen have a cell. A cell that leaves the screen lowers the priority of its load or cancels it,
    /// as ``LoadOptions/offScreenPolicy`` says, and resumes the load when it comes back. A memory hit or a placeholder is shown
    /// in the frame in which its cell appears, so that no cell is painted blank. In each frame, the list starts loads for a
    /// bounded time: those of cells on screen come first, and the rest waits for the next frame. When the list is hidden, no
    /// cell is on screen. Arrow keys move the focus and the selection. The return key and clicks activate a position.
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
        /// How the cells are arranged.
        public enum Layout {
            /// As many columns as fit: a `GtkGridView`.
            case grid
            /// One cell per row, with the title of its position to its right: a `GtkListView`.
            case rows(title: @MainActor (Int) -> String)

            var hasColumns: Bool { if case .grid = self { true } else { false } }
        }

        /// The `GtkScrolledWindow` to put into a window. It is valid as long as this list exists.
        public let widget: UnsafeMutableRawPointer

        /// How many positions can be selected.
        public enum SelectionMode {
            /// One position, unless the list is empty. A click selects and activates it.
            case single
            /// Any number of positions, by clicks with Control and Shift, by Control-A, and by dragging over them. A double click
            /// activates a position.
            case multiple
        }

        /// Called with a position when it is clicked, or when the return key is pressed on it. In a list that selects several
        /// positions, a double click activates.
        public var onActivate: ((Int) -> Void)?

        /// Called when other images are selected: by the user, by the program, or because a selected one was removed.
        public var onSelectionChange: ((Set<Int>) -> Void)?

        /// Makes the widget of a cell around its image view, which the widget must contain; `nil`, the default, uses the view itself,
        /// or a row with a title.
        ///
        /// Set it before ``count``. It is called for each new cell, and the widget then shows one position after the other: see
        /// ``updateCell``.
        public var makeCell: ((GTKImageView) -> UnsafeMutableRawPointer)?

        /// Called with a widget of ``makeCell`` and the position that it shows from now on, for example to set the text of a label.
        public var updateCell: ((UnsafeMutableRawPointer, Int) -> Void)?

        /// The number of images, 0 by default. Setting it renews all requests. Setting the same number keeps the offset and the
        /// selection. For single changes, use ``insert(_:at:)``, ``remove(_:at:)``, ``move(from:to:)`` and ``reload(_:)``.
        public var count: Int {
            get { storedCount }
            set {
                let old = storedCount
                storedCount = max(0, newValue)
                guard count == old else {
                    return unsafe calotype_gtk_list_splice(widget, 0, UInt32(clamping: old), UInt32(clamping: count))
                }
                renewRequests()
                unsafe calotype_gtk_list_update_soon(widget)
            }
        }

        /// How the cells are arranged. Setting it makes new cells and keeps the selection. If the selected cell is on screen, it
        /// keeps its place; otherwise the first cell on screen does. In a hidden list, the selected cell is scrolled on screen.
        public var layout: Layout {
            didSet { unsafe calotype_gtk_list_set_columns(widget, layout.hasColumns) }
        }

        let loader: any ImageProviding
        let cellSize: PixelSize
        let request: (Int) -> ImageRequest?
        var cells: Set<GTKListCell> = []
        /// Cells to update in the next frame; some may have been unbound since.
        var cellsToUpdate: [GTKListCell] = []
        /// The number of images.
        var storedCount = 0
        /// Cells that were unbound while single images change, whose loads continue if they are bound again.
        var unboundCells: [GTKListCell]?
        /// Whether an image is between its old and its new position.
        var isMoving = false
        /// The selection that was reported last.
        var reportedSelection: Set<Int> = []
        private let box: GTKListBox

        /// Makes an empty list.
        ///
        /// - Parameters:
        ///   - loader: loads the images.
        ///   - cellSize: the size of an image, in the application's pixels. Requests get it as their target size, in device pixels,
        ///     if no options set one.
        ///   - layout: how the cells are arranged; in a grid by default.
        ///   - selectionMode: how many positions can be selected; one by default.
        ///   - request: returns the request for a position, or `nil` if there is no image: the cell then shows the failure image or
        ///     the placeholder of the loader's options. Called whenever a cell comes near the screen.
        public init(
            loader: any ImageProviding, cellSize: PixelSize, layout: Layout = .grid, selectionMode: SelectionMode = .single,
            request: @escaping (Int) -> ImageRequest?
        ) {
            (self.loader, self.cellSize, self.layout, self.request) = (loader, cellSize, layout, request)
            box = GTKListBox()
            var callbacks = unsafe GTKListBox.callbacks(box)
            unsafe widget = calotype_gtk_list_new(
                &callbacks, Int32(clamping: cellSize.width), layout.hasColumns, selectionMode == .multiple)
            unsafe calotype_gtk_ref(widget)
            box.list = self
        }

        isolated deinit {
            // After this, GTK makes no callbacks, so that the box can be released.
            unsafe calotype_gtk_list_detach(widget)
            unsafe Unmanaged.passUnretained(box).release()
            unsafe calotype_gtk_unref(widget)
        }

        /// The scroll offset, in the application's pixels, at most ``maximumOffset``. Setting it scrolls in the next frame, to the
        /// last value that was set.
        public var offset: Double {
            get {
                var maximum = 0.0
                return unsafe calotype_gtk_list_offset(widget, &maximum)
            }
            set { unsafe calotype_gtk_list_set_offset(widget, newValue) }
        }

        /// The largest scroll offset, in the application's pixels.
        public var maximumOffset: Double {
            var maximum = 0.0
            _ = unsafe calotype_gtk_list_offset(widget, &maximum)
            return maximum
        }

        /// Moves the keyboard focus to the selected cell and scrolls it on screen.
        public func focus() { unsafe calotype_gtk_list_focus(widget) }
    }
#endif
