#if GTK
    internal import CCalotypeLibGTK
    public import ImageCore

    /// A scrolling list of images that recycles its cells: a `GtkGridView` or a `GtkListView` in a `GtkScrolledWindow`.
    ///
    /// Only positions near the screen have a cell. A cell that leaves the screen lowers the priority of its load or
    /// cancels it, as ``LoadOptions/offScreenPolicy`` says, and resumes the load when it comes back. A memory hit or a
    /// placeholder is shown in the frame in which its cell appears, so that no cell is painted blank. Cells near the
    /// screen get their requests after those on screen, for a bounded time in each frame. When the list is hidden, no
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
            /// Any number of positions, by clicks with Control and Shift, by Control-A, and by dragging over them. A
            /// double click activates a position.
            case multiple
        }

        /// Called with a position when it is clicked, or when the return key is pressed on it. In a list that selects
        /// several positions, a double click activates.
        public var onActivate: ((Int) -> Void)?

        /// Called when other images are selected: by the user, by the program, or because a selected one was removed.
        public var onSelectionChange: ((Set<Int>) -> Void)?

        /// Makes the widget of a cell around its image view, which the widget must contain; `nil`, the default, uses
        /// the view itself, or a row with a title.
        ///
        /// Set it before ``count``. It is called for each new cell, and the widget then shows one position after the
        /// other: see ``updateCell``.
        public var makeCell: ((GTKImageView) -> UnsafeMutableRawPointer)?

        /// Called with a widget of ``makeCell`` and the position that it shows from now on, for example to set the text
        /// of a label.
        public var updateCell: ((UnsafeMutableRawPointer, Int) -> Void)?

        /// The number of images, 0 by default. Setting it renews all requests. Setting the same number keeps the offset
        /// and the selection. For single changes, use ``insert(_:at:)``, ``remove(_:at:)`` and ``reload(_:)``.
        public var count: Int {
            get { storedCount }
            set {
                let old = storedCount
                storedCount = max(0, newValue)
                guard count == old else {
                    return spliceItems(0, removing: old, adding: count)
                }
                renewRequests()
                updateSoon()
            }
        }

        /// How the cells are arranged. Setting it makes new cells and keeps the selection. If the selected cell is on
        /// screen, it keeps its place; otherwise the first cell on screen does. In a hidden list, the selected cell is
        /// scrolled on screen.
        public var layout: Layout { didSet { replaceView() } }

        let loader: any ImageProviding
        let cellSize: PixelSize
        let request: (Int) -> ImageRequest?
        let selectionMode: SelectionMode
        /// The cells, by the addresses of GTK's list items. GTK keeps hundreds more than it shows.
        var cells: [UInt: GTKListCell] = [:]
        /// Cells to update in the next frame; some may have been unbound since.
        var cellsToUpdate: [GTKListCell] = []
        /// The number of images.
        var storedCount = 0
        /// Cells that were unbound while single images change, whose loads continue if they are bound again.
        var unboundCells: [GTKListCell]?
        /// The selection that was reported last.
        var reportedSelection: Set<Int> = []

        /// The widget as GTK's functions take it.
        let window: UnsafeMutablePointer<GtkWidget>
        /// The GtkGridView or GtkListView in it.
        var view: UnsafeMutablePointer<GtkWidget>
        /// The GtkStringList.
        let items: OpaquePointer
        /// A GtkSingleSelection, or a GtkMultiSelection.
        let selectionModel: OpaquePointer
        /// The width of a column with GTK's padding; `nil` until the first cell is laid out.
        var columnWidth: Int?
        /// Whether the view has been laid out, so that it can be scrolled.
        var isLaidOut = false
        /// Whether cells may have moved since the last update.
        var needsUpdate = false
        /// Whether the last update left cells for the next frame.
        var hasUnfinishedCells = false
        /// Where to scroll in the next frame.
        var scrolling = Scrolling()
        /// The position to which to move the focus in the next frame.
        var wantedFocus: Int?
        /// The position on which the mouse button was pressed.
        var pressedPosition: Int?
        /// The clock of the view's frames while it is realized, and the handlers of its signals.
        var clock: OpaquePointer?
        var clockHandlers: [GTKSignalHandler] = []

        /// Makes an empty list.
        ///
        /// - Parameters:
        ///   - loader: loads the images.
        ///   - cellSize: the size of an image, in the application's pixels. Requests get it as their target size, in
        ///     device pixels, if no options set one.
        ///   - layout: how the cells are arranged; in a grid by default.
        ///   - selectionMode: how many positions can be selected; one by default.
        ///   - request: returns the request for a position, or `nil` if there is no image: the cell then shows the
        ///     failure image or the placeholder of the loader's options. Called whenever a cell comes near the screen.
        public init(
            loader: any ImageProviding, cellSize: PixelSize, layout: Layout = .grid, selectionMode: SelectionMode = .single,
            request: @escaping (Int) -> ImageRequest?
        ) {
            (self.loader, self.cellSize, self.layout, self.request) = (loader, cellSize, layout, request)
            self.selectionMode = selectionMode
            unsafe items = gtk_string_list_new(nil)
            unsafe selectionModel =
                selectionMode == .multiple
                ? gtk_multi_selection_new(gtkCast(items)) : gtk_single_selection_new(gtkCast(items))
            unsafe window = gtk_scrolled_window_new()
            unsafe widget = g_object_ref_sink(window)
            // Until `makeView`.
            unsafe view = window
            unsafe gtk_scrolled_window_set_policy(gtkCast(window), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
            // The background of the view, also beside a grid in its middle.
            unsafe gtk_widget_add_css_class(window, "view")
            watchSelection()
            watchWheel()
            watchKeys()
            let adjustment = unsafe gtk_scrolled_window_get_vadjustment(gtkCast(window))
            unsafe GTKSignals.connect(adjustment, "value-changed") { [weak self] in self?.updateSoon() }
            unsafe GTKSignals.connect(adjustment, "changed") { [weak self] in self?.updateSoon() }
            makeView()
        }

        isolated deinit {
            for handler in clockHandlers { handler.disconnect() }
            unsafe g_object_unref(gtkCast(selectionModel))
            unsafe g_object_unref(widget)
        }
    }
#endif
