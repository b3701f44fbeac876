#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageTargets

    /// A scrolling grid of pictures that recycles its cells: a `GtkGridView` in a `GtkScrolledWindow`.
    ///
    /// Only what is near the screen has a cell. A cell that leaves the screen lowers or cancels its load, by the option
    /// ``LoadOptions/offScreenPolicy``, before it is recycled; one that comes in takes it up again. A memory hit shows in
    /// the frame in which its cell appears. What the grid does in one frame is bounded in time: cells on screen come first,
    /// and what is left waits for the next frame. Arrow keys move the focus, return and click activate.
    ///
    /// ```swift
    /// @MainActor func grid(of urls: [URL], loader: any ImageProviding) -> GTKImageGrid {
    ///     let grid = GTKImageGrid(loader: loader, cellSize: PixelSize(width: 96, height: 96)) { index in
    ///         var request = ImageRequest(url: urls[index])
    ///         request.options.offScreenPolicy = .cancels
    ///         return request
    ///     }
    ///     grid.count = urls.count
    ///     return grid
    /// }
    /// ```
    @safe @MainActor public final class GTKImageGrid {
        /// The `GtkScrolledWindow` to put into a window. Valid as long as this grid lives.
        public let widget: UnsafeMutableRawPointer

        /// Called with the position that was clicked, or chosen with the return key.
        public var onActivate: ((Int) -> Void)?

        /// How many pictures there are. Setting it asks for all requests anew.
        public var count = 0 {
            didSet { unsafe calotype_gtk_grid_set_count(widget, UInt32(clamping: count)) }
        }

        private let loader: any ImageProviding
        private let cellSize: PixelSize
        private let request: (Int) -> ImageRequest
        private var cells: Set<Cell> = []
        private let box: GridBox

        /// - Parameters:
        ///   - cellSize: in the application's pixels; requests get it as their target size, in device pixels.
        ///   - request: what to show at a position. Called whenever a cell comes near the screen.
        public init(loader: any ImageProviding, cellSize: PixelSize, request: @escaping (Int) -> ImageRequest) {
            (self.loader, self.cellSize, self.request) = (loader, cellSize, request)
            box = GridBox()
            var callbacks = unsafe GridBox.callbacks(box)
            unsafe widget = calotype_gtk_grid_new(&callbacks, Int32(clamping: cellSize.width))
            unsafe calotype_gtk_ref(widget)
            box.grid = self
        }

        isolated deinit {
            // No callback comes after this, so that nobody needs the box any more.
            unsafe calotype_gtk_grid_detach(widget)
            unsafe Unmanaged.passUnretained(box).release()
            unsafe calotype_gtk_unref(widget)
        }

        /// How far the grid is scrolled, in the application's pixels; at most ``maximumOffset``.
        public var offset: Double {
            get {
                var maximum = 0.0
                return unsafe calotype_gtk_grid_offset(widget, &maximum)
            }
            set { unsafe calotype_gtk_grid_set_offset(widget, newValue) }
        }

        /// How far it can be scrolled.
        public var maximumOffset: Double {
            var maximum = 0.0
            _ = unsafe calotype_gtk_grid_offset(widget, &maximum)
            return maximum
        }

        /// Moves the keyboard's focus into the grid.
        public func focus() { unsafe calotype_gtk_grid_focus(widget) }

        /// A cell that is on screen, and where: x, y, width, height in the application's pixels from the upper left of
        /// another widget, the window for instance.
        public struct VisibleCell: Sendable {
            public var position: Int
            public var bounds: (x: Double, y: Double, width: Double, height: Double)
            /// Whether its picture has not come yet.
            public var isLoading: Bool
        }

        /// The cells that are on screen, in order.
        public func visibleCells(in other: UnsafeMutableRawPointer) -> [VisibleCell] {
            guard let window = unsafe bounds(of: widget, in: widget) else { return [] }
            return cells.compactMap { cell in
                guard let position = cell.position, isOnScreen(cell, window),
                    let bounds = unsafe bounds(of: cell.view.widget, in: other)
                else { return nil }
                return VisibleCell(position: position, bounds: bounds, isLoading: cell.isFresh || cell.view.isLoading)
            }.sorted { $0.position < $1.position }
        }

        /// Cells that exist, on screen or not.
        public var cellCount: Int { cells.count }

        // MARK: Called by GTK

        fileprivate func makeCell() -> Cell {
            let cell = Cell(loader: loader)
            unsafe calotype_gtk_view_set_size(cell.view.widget, Int32(clamping: cellSize.width), Int32(clamping: cellSize.height))
            cells.insert(cell)
            return cell
        }

        /// Hundreds of cells may be bound in one frame, most of them off screen: what they show is decided when it is known
        /// where they lie.
        fileprivate func bind(_ cell: Cell, _ position: Int) { (cell.position, cell.isFresh) = (position, true) }

        fileprivate func unbind(_ cell: Cell) {
            if !cell.isFresh { cell.target.clear() }
            (cell.position, cell.isFresh) = (nil, false)
        }

        fileprivate func drop(_ cell: Cell) {
            cell.target.clear()
            cells.remove(cell)
        }

        /// Looks at where the cells lie. Lets go of what left the screen; takes up what came on it, and then what is near it,
        /// as far as there is time in this frame. Returns whether some are left for the next one.
        fileprivate func moved() -> Bool {
            guard let window = unsafe bounds(of: widget, in: widget) else { return false }
            var (near, arrived): ([Cell], [Cell]) = ([], [])
            for cell in cells where cell.position != nil {
                if isOnScreen(cell, window) {
                    if cell.isFresh || !cell.target.isVisible { arrived.append(cell) }
                } else {
                    cell.target.setVisible(false)
                    if cell.isFresh { near.append(cell) }
                }
            }
            let end = ContinuousClock.now + GTKImageGrid.timePerFrame
            for (index, cell) in (arrived + near).enumerated() {
                if index > 0, ContinuousClock.now > end { return true }
                if index < arrived.count { cell.target.setVisible(true) }
                if cell.isFresh { show(cell) }
            }
            return false
        }

        /// A quarter of a frame at sixty a second, so that GTK has the rest.
        private static let timePerFrame = Duration.milliseconds(4)

        fileprivate func scaled() { for cell in cells where !cell.isFresh { show(cell) } }

        private func show(_ cell: Cell) {
            guard let position = cell.position, position < count else { return }
            cell.isFresh = false
            var request = request(position)
            if request.options.targetSize == nil {
                request.options.targetSize = cell.view.devicePixels(cellSize)
                request.options.contentMode = .fill
            }
            cell.target.setImage(request)
        }

        private func isOnScreen(_ cell: Cell, _ window: Bounds) -> Bool {
            guard let cell = unsafe bounds(of: cell.view.widget, in: widget) else { return false }
            return cell.x < window.width && cell.y < window.height && cell.x + cell.width > 0 && cell.y + cell.height > 0
        }

        private typealias Bounds = (x: Double, y: Double, width: Double, height: Double)

        private func bounds(of part: UnsafeMutableRawPointer, in other: UnsafeMutableRawPointer) -> Bounds? {
            var bounds: [Double] = [0, 0, 0, 0]
            guard unsafe calotype_gtk_bounds(part, other, &bounds) else { return nil }
            return (bounds[0], bounds[1], bounds[2], bounds[3])
        }
    }

    /// A view, its binding, and what it is bound to.
    @MainActor private final class Cell: Hashable {
        let view: GTKImageView
        let target: ImageTarget<GTKImageView>
        var position: Int?
        /// Whether it has not been asked yet what to show.
        var isFresh = false

        init(loader: any ImageProviding) {
            view = unsafe GTKImageView()
            target = ImageTarget(view, loader: loader)
        }

        nonisolated static func == (a: Cell, b: Cell) -> Bool { a === b }
        nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// What GTK's callbacks are given: it outlives the grid as long as GTK keeps the widget.
    @MainActor private final class GridBox {
        weak var grid: GTKImageGrid?

        /// The callbacks of a grid, all called on the main thread. Cells are kept by the grid and passed unretained.
        @unsafe static func callbacks(_ box: GridBox) -> calotype_gtk_grid_callbacks {
            unsafe calotype_gtk_grid_callbacks(
                context: Unmanaged.passRetained(box).toOpaque(),
                make_cell: { context, widget in
                    unsafe GridBox.run(context) { grid in
                        let cell = grid.makeCell()
                        unsafe widget?.pointee = cell.view.widget
                        return unsafe Unmanaged.passUnretained(cell).toOpaque()
                    }
                },
                bind: { context, cell, position in
                    unsafe GridBox.run(context, cell) { $0.bind($1, Int(position)) }
                },
                unbind: { context, cell in unsafe GridBox.run(context, cell) { $0.unbind($1) } },
                drop_cell: { context, cell in unsafe GridBox.run(context, cell) { $0.drop($1) } },
                activate: { context, position in
                    unsafe GridBox.run(context) { grid in
                        grid.onActivate?(Int(position))
                        return nil
                    }
                },
                moved: { context in
                    var isUnfinished = false
                    unsafe GridBox.run(context) { grid in
                        isUnfinished = grid.moved()
                        return nil
                    }
                    return isUnfinished
                },
                scaled: { context in
                    unsafe GridBox.run(context) { grid in
                        grid.scaled()
                        return nil
                    }
                })
        }

        /// GTK calls on the main thread only. Addresses cross as numbers, since pointers may not.
        @discardableResult
        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ body: @MainActor (GTKImageGrid) -> UnsafeMutableRawPointer?
        ) -> UnsafeMutableRawPointer? {
            let address = UInt(bitPattern: context)
            let result = MainActor.assumeIsolated {
                guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return UInt(0) }
                guard let grid = unsafe Unmanaged<GridBox>.fromOpaque(context).takeUnretainedValue().grid else { return 0 }
                return unsafe UInt(bitPattern: body(grid))
            }
            return unsafe UnsafeMutableRawPointer(bitPattern: result)
        }

        private nonisolated static func run(
            _ context: UnsafeMutableRawPointer?, _ cell: UnsafeMutableRawPointer?, _ body: @MainActor (GTKImageGrid, Cell) -> Void
        ) {
            let address = UInt(bitPattern: cell)
            unsafe run(context) { grid in
                guard let cell = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return nil }
                unsafe body(grid, Unmanaged<Cell>.fromOpaque(cell).takeUnretainedValue())
                return nil
            }
        }
    }
#endif
