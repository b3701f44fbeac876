#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageTargets

    /// A scrolling list of pictures that recycles its cells: a `GtkGridView` or a `GtkListView` in a `GtkScrolledWindow`.
    ///
    /// Only what is near the screen has a cell. A cell that leaves the screen lowers or cancels its load, by the option
    /// ``LoadOptions/offScreenPolicy``, before it is recycled; one that comes in takes it up again. A memory hit or what
    /// stands in for a picture shows in the frame in which its cell appears, so that no cell is painted blank. Loads are
    /// begun for a bounded time in each frame: cells on screen come first, and what is left waits for the next frame. In a page
    /// that is not shown, no cell is on screen. Arrow keys move the focus and what is selected, return and click activate.
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

            fileprivate var hasColumns: Bool { if case .grid = self { true } else { false } }
        }

        /// The `GtkScrolledWindow` to put into a window. Valid as long as this list lives.
        public let widget: UnsafeMutableRawPointer

        /// Called with the position that was clicked, or chosen with the return key.
        public var onActivate: ((Int) -> Void)?

        /// How many pictures there are. Setting it asks for all requests anew; the same number keeps the place and the selection.
        public var count = 0 {
            didSet {
                guard count == oldValue else { return unsafe calotype_gtk_list_set_count(widget, UInt32(clamping: count)) }
                askAgain()
                unsafe calotype_gtk_list_look(widget)
            }
        }

        /// How the cells lie. Another layout makes the cells anew and keeps the selection. The selected cell stays where it is on
        /// screen; where it is not there, the first one does. In a list that is not shown, the selected one comes on screen.
        public var layout: Layout {
            didSet { unsafe calotype_gtk_list_set_columns(widget, layout.hasColumns) }
        }

        private let loader: any ImageProviding
        private let cellSize: PixelSize
        private let request: (Int) -> ImageRequest
        private var cells: Set<Cell> = []
        /// Those that lack something, or came on screen; a cell may have been unbound since.
        private var waiting: [Cell] = []
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
            unsafe widget = calotype_gtk_list_new(&callbacks, Int32(clamping: cellSize.width), layout.hasColumns)
            unsafe calotype_gtk_ref(widget)
            box.list = self
        }

        isolated deinit {
            // No callback comes after this, so that nobody needs the box any more.
            unsafe calotype_gtk_list_detach(widget)
            unsafe Unmanaged.passUnretained(box).release()
            unsafe calotype_gtk_unref(widget)
        }

        /// How far the list is scrolled, in the application's pixels; at most ``maximumOffset``. What is set here is gone to in
        /// the next frame, so that of several the last one counts.
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

        /// The position from which arrow keys go on, and which the return key activates: they and clicks change it, and setting it
        /// brings it on screen in the next frame. `nil` where there are no pictures; setting that, or what is no position, does
        /// nothing.
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

        /// Moves the keyboard's focus into the list, to the selected cell, which comes on screen.
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
        }

        /// The cells that are on screen, in order, as they were in the last frame.
        public func visibleCells(in other: UnsafeMutableRawPointer) -> [VisibleCell] {
            var visible: [VisibleCell] = []
            for cell in cells where cell.isOnScreen {
                var bounds = (0.0, 0.0, 0.0, 0.0)
                guard let position = cell.position,
                    unsafe calotype_gtk_bounds(cell.view.widget, other, &bounds.0, &bounds.1, &bounds.2, &bounds.3)
                else { continue }
                visible.append(
                    VisibleCell(
                        position: position, bounds: bounds, isLoading: cell.lacks != .nothing || cell.view.isLoading,
                        isBlank: cell.view.isBlank))
            }
            return visible.sorted { $0.position < $1.position }
        }

        /// Cells that exist, on screen or not.
        public var cellCount: Int { cells.count }

        // MARK: Called by GTK

        fileprivate func makeCell() -> Cell {
            let cell = Cell(loader: loader)
            unsafe calotype_gtk_view_set_size(cell.view.widget, Int32(clamping: cellSize.width), Int32(clamping: cellSize.height))
            if case .rows = layout { unsafe cell.widget = calotype_gtk_row_new(cell.view.widget) }
            cells.insert(cell)
            return cell
        }

        /// Hundreds of cells may be bound in one frame, most of them off screen: what they show is decided when it is known
        /// where they lie.
        fileprivate func bind(_ cell: Cell, _ position: Int) {
            (cell.position, cell.isOnScreen) = (position, false)
            ask(cell)
            if case .rows(let title) = layout { unsafe calotype_gtk_row_set_title(cell.widget, title(position)) }
        }

        fileprivate func unbind(_ cell: Cell) {
            if cell.lacks != .image { cell.target.clear() }
            forget(cell)
            (cell.position, cell.isOnScreen, cell.lacks) = (nil, false, .nothing)
        }

        /// What it shows from before it was asked for anew, since the request may be the same.
        private func forget(_ cell: Cell) {
            if cell.isOutdated { cell.target.clear() }
            cell.isOutdated = false
        }

        fileprivate func drop(_ cell: Cell) {
            cell.target.clear()
            (cell.position, cell.isOnScreen, cell.lacks) = (nil, false, .nothing)
            cells.remove(cell)
        }

        /// What leaves the screen lets go of its load at once.
        fileprivate func set(_ cell: Cell, onScreen isOnScreen: Bool) {
            cell.isOnScreen = isOnScreen
            if isOnScreen { wait(cell) } else { cell.target.setVisible(false) }
        }

        /// Before cells are painted: all that came on screen show at least what stands in for their pictures. Loads are begun as
        /// far as there is time in this frame, those of cells on screen first. Returns whether some are left for the next one.
        fileprivate func moved() -> Bool {
            let end = ContinuousClock.now + GTKImageList.timePerFrame
            var (arrived, near): ([Cell], [Cell]) = ([], [])
            let due = waiting
            waiting = []
            for cell in due { cell.isWaiting = false }
            for cell in due where cell.position != nil {
                if cell.isOnScreen {
                    if cell.lacks == .image { prepare(cell) }
                    arrived.append(cell)
                } else if cell.lacks != .nothing {
                    near.append(cell)
                }
            }
            for (index, cell) in (arrived + near).enumerated() {
                guard index == 0 || ContinuousClock.now < end else {
                    for cell in (arrived + near)[index...] { wait(cell) }
                    return true
                }
                cell.target.setVisible(cell.isOnScreen)
                show(cell)
            }
            return false
        }

        /// A quarter of a frame at sixty a second, so that GTK has the rest.
        private static let timePerFrame = Duration.milliseconds(4)

        /// For all pictures, the same ones too: they may be wanted in another size, or with another badge.
        fileprivate func askAgain() {
            for cell in cells where cell.position != nil {
                cell.isOutdated = cell.isOutdated || cell.lacks != .image
                ask(cell)
            }
        }

        /// For its picture anew, when it is known whether it is on screen.
        private func ask(_ cell: Cell) {
            cell.lacks = .image
            wait(cell)
        }

        private func wait(_ cell: Cell) {
            guard !cell.isWaiting else { return }
            cell.isWaiting = true
            waiting.append(cell)
        }

        /// What a cell shows until its picture comes, or the picture where it is in memory.
        private func prepare(_ cell: Cell) {
            guard let position = cell.position, position < count else { return cell.lacks = .nothing }
            cell.lacks = .load
            forget(cell)
            var request = request(position)
            if request.options.targetSize == nil {
                request.options.targetSize = cell.view.devicePixels(cellSize)
                request.options.contentMode = .fill
            }
            cell.target.prepareImage(request)
        }

        private func show(_ cell: Cell) {
            if cell.lacks == .image { prepare(cell) }
            if cell.lacks == .load { cell.target.startLoad() }
            cell.lacks = .nothing
        }
    }

    /// A view, its binding, and what it is bound to.
    @safe @MainActor private final class Cell: Hashable {
        enum Lack { case image, load, nothing }

        let view: GTKImageView
        let target: ImageTarget<GTKImageView>
        /// What the list has as its cell: the view, or a row that holds it. It is GTK's to keep.
        var widget: UnsafeMutableRawPointer
        var position: Int?
        var isOnScreen = false
        /// What it has not got yet.
        var lacks = Lack.nothing
        /// Whether it still shows what it is asked for anew.
        var isOutdated = false
        /// Whether the list has it among those that wait.
        var isWaiting = false

        init(loader: any ImageProviding) {
            view = unsafe GTKImageView()
            unsafe widget = view.widget
            target = ImageTarget(view, loader: loader)
        }

        nonisolated static func == (a: Cell, b: Cell) -> Bool { a === b }
        nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// What GTK's callbacks are given: it outlives the list as long as GTK keeps the widget.
    @MainActor private final class ListBox {
        weak var list: GTKImageList?

        /// The callbacks of a list, all called on the main thread. Cells are kept by the list and passed unretained.
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
                    unsafe ListBox.run(context, cell) { $0.set($1, onScreen: isOnScreen) }
                },
                moved: { context in
                    var isUnfinished = false
                    unsafe ListBox.run(context) { list in
                        isUnfinished = list.moved()
                        return nil
                    }
                    return isUnfinished
                },
                scaled: { context in
                    unsafe ListBox.run(context) { list in
                        list.askAgain()
                        return nil
                    }
                })
        }

        /// GTK calls on the main thread only. Addresses cross as numbers, since pointers may not.
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
