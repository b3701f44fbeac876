#if GTK
    import CCalotypeGTKStage
    import Calotype
    import ImageCore
    import ImageTargetsGTK
    import LoopbackHTTP

    /// A list of two thousand pictures in the window, of cells of 96 pixels.
    @MainActor protocol Scene {
        static var count: Int { get }
        /// Of cells; the window is three quarters as high as it is wide.
        var columns: Int { get }
        /// How far it is scrolled, and how far it can be.
        var offset: (now: Double, maximum: Double) { get }
        /// Sets the list's own offset.
        func scroll(to offset: Double)
        /// Cells that exist, on screen or not.
        var cellCount: Int { get }
        var requests: Int { get }
        mutating func begin(in window: UnsafeMutableRawPointer) throws
        /// Loads that run, and whether they are held where they are.
        var loads: Int { get }
        func hold(_ isHeld: Bool) throws
        /// How many requests the list has asked for.
        var requestsMade: Int { get }
        /// How often cells were activated.
        var activations: Int { get }
        /// Has the list in a page that is shown, or not.
        func show(_ isShown: Bool)
        /// Loads that run for no cell on screen.
        func loadsOffScreen(in window: UnsafeMutableRawPointer) -> Int
        /// Cells on screen that show nothing at all.
        func blankCells(in window: UnsafeMutableRawPointer) -> Int
        /// Which cell lies where; `nil` while a picture on screen has not come.
        func places(in window: UnsafeMutableRawPointer) -> [GTKImageList.VisibleCell]?
    }

    extension Scene {
        static var count: Int { 2_000 }
        static var cell: Int { 96 }
        var size: (width: Int, height: Int) { (columns * Self.cell, columns * Self.cell * 3 / 4) }
    }

    /// Pictures from a server, through the standard loader with a small memory cache, so that most come from the server again.
    struct LoadedScene: Scene {
        let columns: Int
        private let layout: GTKImageList.Layout
        /// Whether the pictures are of single pixels, as large as a cell on a monitor of twice the density.
        private let stripes: Bool
        /// Whether each request takes longer to make than the list may spend on loads in a frame.
        private let hasSlowRequests: Bool
        private let made = Counter()
        private var server: LoopbackServer?
        private var list: GTKImageList?
        private let activated = Counter()
        /// Before which answers wait, if any.
        private let gate = SharedGate()
        private let loader = ImageLoader.standard {
            $0.memoryCache = MemoryCache(limits: .init(cost: 8_000_000))
            $0.dataCache = nil
        }

        init(columns: Int, layout: GTKImageList.Layout = .grid, stripes: Bool = false, hasSlowRequests: Bool = false) {
            (self.columns, self.layout, self.stripes, self.hasSlowRequests) = (columns, layout, stripes, hasSlowRequests)
        }

        var offset: (now: Double, maximum: Double) { (list?.offset ?? 0, list?.maximumOffset ?? 0) }
        var cellCount: Int { list?.cellCount ?? 0 }
        var requests: Int { server?.requests.value ?? 0 }
        var loads: Int { loader.activity.loads }
        var activations: Int { activated.value }
        var requestsMade: Int { made.value }
        func scroll(to offset: Double) { list?.offset = offset }
        func hold(_ isHeld: Bool) throws { try gate.close(isHeld) }
        func show(_ isShown: Bool) { if let list { unsafe calotype_stage_set_visible(list.widget, isShown) } }

        mutating func begin(in window: UnsafeMutableRawPointer) throws {
            let server = try LoopbackServer { [stripes, gate] request, connection in
                if let gate = gate.value { try connection.wait(for: gate) }
                // As on a line: a load takes longer than a frame, so that many run when their cells leave.
                FileOutput.pause(microseconds: 8_000)
                let number = Int(request.path.dropFirst().prefix { $0.isNumber }) ?? 0
                let picture = try stripes ? Pattern.stripes(number) : Pattern.quarters(number)
                let file = try EncoderRegistry(.codecs).encode(picture, as: .png, options: EncodeOptions())
                try connection.respond(LoopbackServer.Response(200, body: Array(file)))
            }
            let size = PixelSize(width: Self.cell, height: Self.cell)
            let list = GTKImageList(loader: loader, cellSize: size, layout: layout) { [made, hasSlowRequests] index in
                made.value += 1
                if hasSlowRequests { FileOutput.pause(microseconds: 6_000) }
                var request = ImageRequest(url: URL(string: server.url("/\(index).png"))!)
                request.options.offScreenPolicy = .cancels
                request.options.placeholder = .color(red: 1, green: 1, blue: 0, alpha: 1)
                return request
            }
            list.onActivate = { [activated] _ in activated.value += 1 }
            (self.server, self.list) = (server, list)
            unsafe calotype_stage_set_child(window, list.widget)
            list.count = Self.count
            list.focus()
        }

        func loadsOffScreen(in window: UnsafeMutableRawPointer) -> Int {
            max(0, loader.activity.loads - (unsafe list?.visibleCells(in: window) ?? []).count { $0.isLoading })
        }

        func blankCells(in window: UnsafeMutableRawPointer) -> Int {
            (unsafe list?.visibleCells(in: window) ?? []).count { $0.isBlank }
        }

        func places(in window: UnsafeMutableRawPointer) -> [GTKImageList.VisibleCell]? {
            let cells = unsafe list?.visibleCells(in: window) ?? []
            return cells.isEmpty || cells.contains { $0.isLoading } || loader.activity.loads > 0 ? nil : cells
        }
    }

    @MainActor private final class Counter {
        var value = 0
    }

    private final class SharedGate: Sendable {
        private let gate = Lock<LoopbackServer.Gate?>(nil)
        var value: LoopbackServer.Gate? { gate.withLock { $0 } }

        /// Opens the one before.
        func close(_ isClosed: Bool) throws {
            let next = isClosed ? try LoopbackServer.Gate() : nil
            gate.withLock { gate in
                gate?.open()
                gate = next
            }
        }
    }

    /// Pictures that can be told apart by each of their parts, twice as large as they are shown.
    enum Pattern {
        /// Four quarters, each of one colour.
        static func quarters(_ number: Int, side: Int = 192) throws -> DecodedImage {
            try picture(side) { x, y in
                [number % 256, number / 256 * 31, ((y >= side / 2 ? 2 : 0) + (x >= side / 2 ? 1 : 0)) * 80]
            }
        }

        /// A chequerboard of single pixels, which only comes through when it is neither scaled down nor up.
        static func stripes(_ number: Int) throws -> DecodedImage {
            try picture(192) { x, y in (x + y) % 2 == 0 ? [number % 256, 0, 255] : [0, number % 256, 0] }
        }

        private static func picture(_ side: Int, _ color: (_ x: Int, _ y: Int) -> [Int]) throws -> DecodedImage {
            DecodedImage(
                try unsafe Bitmap(size: PixelSize(width: side, height: side), format: .rgba8, alpha: .opaque) { pixels, row in
                    for y in 0..<side {
                        for x in 0..<side {
                            for (index, value) in (color(x, y) + [255]).enumerated() {
                                unsafe pixels[y * row + x * 4 + index] = UInt8(value)
                            }
                        }
                    }
                })
        }
    }
#endif
