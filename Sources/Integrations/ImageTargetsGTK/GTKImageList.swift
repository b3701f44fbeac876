#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageTargets

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

            fileprivate var hasColumns: Bool { if case .grid = self { true } else { false } }
        }

        /// The `GtkScrolledWindow` to put into a window. It is valid as long as this list exists.
        public let widget: UnsafeMutableRawPointer

        /// Called with a position when it is clicked, or when the return key is pressed on it.
        public var onActivate: ((Int) -> Void)?

        /// The number of images, 0 by default. Setting it renews all requests. Setting the same number keeps the offset and the
        /// selection.
        public var count = 0 {
            didSet {
                guard count == oldValue else { return unsafe calotype_gtk_list_set_count(widget, UInt32(clamping: count)) }
                renewRequests()
                unsafe calotype_gtk_list_update_soon(widget)
            }
        }

        /// How the cells are arranged. Setting it makes new cells and keeps the selection. If the selected cell is on screen, it
        /// keeps its place; otherwise the first cell on screen does. In a hidden list, the selected cell is scrolled on screen.
        public var layout: Layout {
            didSet { unsafe calotype_gtk_list_set_columns(widget, layout.hasColumns) }
        }

        private let loader: any ImageProviding
        private let cellSize: PixelSize
        private let request: (Int) -> ImageRequest?
        private var cells: Set<Cell> = []
        /// Cells to update in the next frame; some may have been unbound since.
        private var cellsToUpdate: [Cell] = []
        private let box: ListBox

        /// Makes an empty list.
        ///
        /// - Parameters:
        ///   - loader: loads the images.
        ///   - cellSize: the size of an image, in the application's pixels. Requests without a target size get it, in device
        ///     pixels.
        ///   - layout: how the cells are arranged; in a grid by default.
        ///   - request: returns the request for a position, or `nil` if there is no image: the cell then shows the failure image or
        ///     the placeholder of the loader's options. Called whenever a cell comes near the screen.
        public init(
            loader: any ImageProviding, cellSize: PixelSize, layout: Layout = .grid, request: @escaping (Int) -> ImageRequest?
        ) {
            (self.loader, self.cellSize, self.layout, self.request) = (loader, cellSize, layout, request)
            box = ListBox()
            var callbacks = unsafe ListBox.callbacks(box)
            unsafe widget = calotype_gtk_list_new(&callbacks, Int32(clamping: cellSize.width), layout.hasColumns)
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

        /// The selected position; `nil` for an empty list. Arrow keys and clicks change it, and the return key activates it. Setting
        /// it scrolls the position on screen in the next frame. Setting `nil` or a position that does not exist does nothing.
        public var selected: Int? {
            get {
                let position = unsafe calotype_gtk_list_selected(widget)
                return position == UInt32.max ? nil : Int(position)
            }
            set {
                guard let newValue, newValue >= 0 else { return }
                unsafe calotype_gtk_list_select(widget, UInt32(clamping: newValue))
            }
        }

        /// Moves the keyboard focus to the selected cell and scrolls it on screen.
        public func focus() { unsafe calotype_gtk_list_focus(widget) }

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

        // MARK: Called by GTK

        fileprivate func makeCell() -> Cell {
            let cell = Cell(loader: loader)
            unsafe calotype_gtk_view_set_size(cell.view.widget, Int32(clamping: cellSize.width), Int32(clamping: cellSize.height))
            if case .rows = layout { unsafe cell.widget = calotype_gtk_row_new(cell.view.widget) }
            cells.insert(cell)
            return cell
        }

        /// Defers the load until the layout is known: GTK may bind hundreds of cells in one frame, most of them off screen.
        fileprivate func bind(_ cell: Cell, _ position: Int) {
            (cell.position, cell.isOnScreen) = (position, false)
            renewRequest(of: cell)
            if case .rows(let title) = layout { unsafe calotype_gtk_row_set_title(cell.widget, title(position)) }
        }

        fileprivate func unbind(_ cell: Cell) {
            if cell.pending != .request { cell.target.clear() }
            clearOutdated(cell)
            (cell.position, cell.isOnScreen, cell.pending) = (nil, false, .nothing)
        }

        /// Clears the image that the cell shows from before its request was renewed. An equal request would not replace it.
        private func clearOutdated(_ cell: Cell) {
            if cell.isOutdated { cell.target.clear() }
            cell.isOutdated = false
        }

        fileprivate func drop(_ cell: Cell) {
            cell.target.clear()
            (cell.position, cell.isOnScreen, cell.pending) = (nil, false, .nothing)
            cells.remove(cell)
        }

        /// A cell that leaves the screen suspends its load at once.
        fileprivate func setOnScreen(_ cell: Cell, _ isOnScreen: Bool) {
            cell.isOnScreen = isOnScreen
            if isOnScreen { updateSoon(cell) } else { cell.target.setVisible(false) }
        }

        /// Shows at least the placeholder of every cell that came on screen, before GTK paints the frame. Then starts loads for a
        /// bounded time, those of cells on screen first. Returns whether cells are left for the next frame.
        fileprivate func updateCells() -> Bool {
            let end = ContinuousClock.now + GTKImageList.timePerFrame
            var (arrived, near): ([Cell], [Cell]) = ([], [])
            let due = cellsToUpdate
            cellsToUpdate = []
            for cell in due { cell.needsUpdate = false }
            for cell in due where cell.position != nil {
                if cell.isOnScreen {
                    if cell.pending == .request { prepare(cell) }
                    arrived.append(cell)
                } else if cell.pending != .nothing {
                    near.append(cell)
                }
            }
            for (index, cell) in (arrived + near).enumerated() {
                guard index == 0 || ContinuousClock.now < end else {
                    for cell in (arrived + near)[index...] { updateSoon(cell) }
                    return true
                }
                cell.target.setVisible(cell.isOnScreen)
                show(cell)
            }
            return false
        }

        /// A quarter of a frame at 60 frames per second. GTK needs the rest.
        private static let timePerFrame = Duration.milliseconds(4)

        /// Renews the requests of all cells. Equal requests are loaded again, since their images may need another size.
        fileprivate func renewRequests() {
            for cell in cells where cell.position != nil {
                cell.isOutdated = cell.isOutdated || cell.pending != .request
                renewRequest(of: cell)
            }
        }

        /// Renews the request of a cell in the next update, when it is known whether the cell is on screen.
        private func renewRequest(of cell: Cell) {
            cell.pending = .request
            updateSoon(cell)
        }

        /// Updates the cell in the next frame.
        private func updateSoon(_ cell: Cell) {
            guard !cell.needsUpdate else { return }
            cell.needsUpdate = true
            cellsToUpdate.append(cell)
        }

        /// Shows the image of a memory hit, or otherwise the placeholder.
        private func prepare(_ cell: Cell) {
            guard let position = cell.position, position < count else { return cell.pending = .nothing }
            cell.pending = .load
            clearOutdated(cell)
            guard var request = request(position) else { return cell.target.setImage(nil) }
            if request.options.targetSize == nil {
                request.options.targetSize = cell.view.devicePixels(cellSize)
                request.options.contentMode = .fill
            }
            cell.target.prepareImage(request)
        }

        private func show(_ cell: Cell) {
            if cell.pending == .request { prepare(cell) }
            if cell.pending == .load { cell.target.startLoad() }
            cell.pending = .nothing
        }
    }

    /// A cell of the list: a view, its target, and the position to which it is bound.
    @safe @MainActor private final class Cell: Hashable {
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

        init(loader: any ImageProviding) {
            view = unsafe GTKImageView()
            unsafe widget = view.widget
            target = ImageTarget(view, loader: loader)
        }

        nonisolated static func == (a: Cell, b: Cell) -> Bool { a === b }
        nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// The context of GTK's callbacks. It refers weakly to the list, which detaches the callbacks before it releases the box.
    @MainActor private final class ListBox {
        weak var list: GTKImageList?

        /// The callbacks of a list, which GTK makes on the main thread. The list retains the cells, which are passed unretained.
        @unsafe static func callbacks(_ box: ListBox) -> calotype_gtk_list_callbacks {
            unsafe calotype_gtk_list_callbacks(
                context: Unmanaged.passRetained(box).toOpaque(),
                make_cell: { context, widget in
                    unsafe ListBox.run(context) { list in
                        let cell = list.makeCell()
                        unsafe widget?.pointee = cell.widget
                        return unsafe Unmanaged.passUnretained(cell).toOpaque()
                    }
                },
                bind: { context, cell, position in
                    unsafe ListBox.run(context, cell) { $0.bind($1, Int(position)) }
                },
                unbind: { context, cell in unsafe ListBox.run(context, cell) { $0.unbind($1) } },
                drop_cell: { context, cell in unsafe ListBox.run(context, cell) { $0.drop($1) } },
                activate: { context, position in
                    unsafe ListBox.run(context) { list in
                        list.onActivate?(Int(position))
                        return nil
                    }
                },
                set_on_screen: { context, cell, isOnScreen in
                    unsafe ListBox.run(context, cell) { $0.setOnScreen($1, isOnScreen) }
                },
                update_cells: { context in
                    var isUnfinished = false
                    unsafe ListBox.run(context) { list in
                        isUnfinished = list.updateCells()
                        return nil
                    }
                    return isUnfinished
                },
                scaled: { context in
                    unsafe ListBox.run(context) { list in
                        list.renewRequests()
                        return nil
                    }
                })
        }

        /// Runs a callback on the main actor, since GTK calls on the main thread only. Pointers are not `Sendable`, so that their
        /// addresses are passed as integers.
        @discardableResult
        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ body: @MainActor (GTKImageList) -> UnsafeMutableRawPointer?
        ) -> UnsafeMutableRawPointer? {
            let address = UInt(bitPattern: context)
            let result = MainActor.assumeIsolated {
                guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return UInt(0) }
                guard let list = unsafe Unmanaged<ListBox>.fromOpaque(context).takeUnretainedValue().list else { return 0 }
                return unsafe UInt(bitPattern: body(list))
            }
            return unsafe UnsafeMutableRawPointer(bitPattern: result)
        }

        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ cell: UnsafeMutableRawPointer?, _ body: @MainActor (GTKImageList, Cell) -> Void
        ) {
            let address = UInt(bitPattern: cell)
            unsafe run(context) { list in
                guard let cell = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return nil }
                unsafe body(list, Unmanaged<Cell>.fromOpaque(cell).takeUnretainedValue())
                return nil
            }
        }
    }
#endif
