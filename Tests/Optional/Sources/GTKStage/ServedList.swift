import CCalotypeGTKStage
import Calotype
import ImageCore
import ImageTargetsGTK
import LoopbackHTTP

/// A list of 2,000 images from a local server, in cells of 96 pixels. The memory cache of the loader is so small that
/// most images are fetched again after scrolling.
@MainActor final class ServedList {
    private static let count = 2_000
    private static let cellSide = 96

    /// The size of the window, in the application's pixels.
    let windowSize: (width: Int, height: Int)
    /// The number of requests that the list made.
    private(set) var requestsMade = 0
    /// The number of activations of cells.
    private(set) var activations = 0
    private let layout: GTKImageList.Layout
    private let usesChequerboards: Bool
    private let hasSlowRequests: Bool
    /// Every so many images, one is an animation; `nil` for none.
    private let animationInterval: Int?
    private var server: LoopbackServer?
    private var list: GTKImageList?
    /// Holds the server's responses while it is closed.
    private let gate = SharedGate()
    private let loader = ImageLoader.standard {
        $0.memoryCache = MemoryCache(limits: .init(maximumBytes: 8_000_000))
        $0.dataCache = nil
    }

    /// - Parameters:
    ///   - columns: the width of the window in cells. Its height is three quarters of its width.
    ///   - layout: how the cells are arranged.
    ///   - usesChequerboards: whether the images are chequerboards of single pixels instead of four coloured quarters.
    ///   - hasSlowRequests: whether making a request takes longer than the time that the list spends on loads per
    ///     frame.
    ///   - animationInterval: every so many images, one is an animation; none by default.
    init(
        columns: Int, layout: GTKImageList.Layout = .grid, usesChequerboards: Bool = false, hasSlowRequests: Bool = false,
        animationInterval: Int? = nil
    ) {
        self.animationInterval = animationInterval
        windowSize = (columns * Self.cellSide, columns * Self.cellSide * 3 / 4)
        (self.layout, self.usesChequerboards, self.hasSlowRequests) = (layout, usesChequerboards, hasSlowRequests)
    }

    /// The scroll offset, and the largest one.
    var offset: (now: Double, maximum: Double) { (list?.offset ?? 0, list?.maximumOffset ?? 0) }
    /// The number of cells, on screen or not.
    var cellCount: Int { list?.cellCount ?? 0 }
    /// The number of requests that the server received.
    var requestsServed: Int { server?.requests.value ?? 0 }
    /// The number of running loads.
    var loads: Int { loader.activity.loads }
    func scroll(to offset: Double) { list?.offset = offset }
    /// Sets whether the server holds its responses.
    func holdResponses(_ isHeld: Bool) throws { try gate.setClosed(isHeld) }
    /// Shows or hides the list.
    func setVisible(_ isVisible: Bool) { if let list { unsafe clt_stage_set_visible(list.widget, isVisible) } }

    /// Puts the list into a window.
    func start(in window: UnsafeMutableRawPointer) throws {
        let server = try LoopbackServer { [usesChequerboards, gate, animationInterval] request, connection in
            if let gate = gate.value { try connection.wait(for: gate) }
            // As on a network, a load takes longer than half a frame, so that many loads run when their cells leave the
            // screen.
            FileOutput.pause(microseconds: 8_000)
            let number = Int(request.path.dropFirst().prefix { $0.isNumber }) ?? 0
            if let animationInterval, number % animationInterval == 0 {
                return try connection.respond(LoopbackServer.Response(200, body: Array(TestPattern.animation(number))))
            }
            let image = try usesChequerboards ? TestPattern.chequerboard(number) : TestPattern.quarters(number)
            let file = try EncoderRegistry(.codecs).encode(image, as: .png, options: EncodeOptions())
            try connection.respond(LoopbackServer.Response(200, body: Array(file)))
        }
        let cellSize = PixelSize(width: Self.cellSide, height: Self.cellSide)
        let list = GTKImageList(loader: loader, cellSize: cellSize, layout: layout) { [weak self, hasSlowRequests] index in
            self?.requestsMade += 1
            if hasSlowRequests { FileOutput.pause(microseconds: 6_000) }
            var request = ImageRequest(url: URL(string: server.url("/\(index).png"))!)
            request.options.offScreenPolicy = .cancels
            request.options.placeholder = .color(red: 1, green: 1, blue: 0, alpha: 1)
            return request
        }
        list.onActivate = { [weak self] _ in self?.activations += 1 }
        (self.server, self.list) = (server, list)
        unsafe clt_stage_set_child(window, list.widget)
        list.count = Self.count
        list.focus()
    }

    /// The number of running loads whose cells are not on screen.
    func loadsOffScreen(in window: UnsafeMutableRawPointer) -> Int {
        max(0, loader.activity.loads - (unsafe list?.visibleCells(in: window) ?? []).count { $0.isLoading })
    }

    /// The number of cells on screen that show neither an image nor a placeholder.
    func blankCells(in window: UnsafeMutableRawPointer) -> Int {
        (unsafe list?.visibleCells(in: window) ?? []).count { $0.isBlank }
    }

    /// The cells on screen; `nil` while an image is loading.
    func loadedCells(in window: UnsafeMutableRawPointer) -> [GTKImageList.VisibleCell]? {
        let cells = unsafe list?.visibleCells(in: window) ?? []
        return cells.isEmpty || cells.contains { $0.isLoading } || loader.activity.loads > 0 ? nil : cells
    }
}

private final class SharedGate: Sendable {
    private let gate = Lock<LoopbackServer.Gate?>(nil)
    /// The closed gate, or `nil` if the gate is open.
    var value: LoopbackServer.Gate? { gate.withLock { $0 } }

    /// Closes a new gate or opens the current one.
    func setClosed(_ isClosed: Bool) throws {
        let next = isClosed ? try LoopbackServer.Gate() : nil
        gate.withLock { gate in
            gate?.open()
            gate = next
        }
    }
}
