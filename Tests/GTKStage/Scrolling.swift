#if GTK
    import CCalotypeGTK
    import Calotype
    import ImageCore
    import ImageTargetsGTK
    import LoopbackHTTP

    /// Two thousand pictures from a server, scrolled by script from end to end, back, and here and there. At every rest
    /// the test is told which cell lies where, and looks at the screen before it says to go on.
    final class Scrolling: Act {
        private static let count = 2_000

        private var server: LoopbackServer?
        private var grid: GTKImageGrid?
        private let loader = ImageLoader.standard {
            $0.memoryCache = MemoryCache(limits: .init(cost: 8_000_000))
            $0.dataCache = nil
        }
        private var steps: [Step] = []
        private var hasArrived = false
        private var restingTicks = 0
        private var stoppedTicks = 0
        private var offScreenLoads = 0
        private var gaps = Gaps()
        /// Until the first rest: GTK makes its first hundreds of cells within our calls.
        private var startingTurn = Duration.zero

        /// What is scripted: where to, and how far in one frame.
        private struct Step {
            let name: String
            let target: (GTKImageGrid) -> Double
            let pixelsPerFrame: Double
        }

        func begin(in window: UnsafeMutableRawPointer) {
            do {
                let server = try LoopbackServer { request, connection in
                    // As on a line: a load takes longer than a frame, so that many run when their cells leave.
                    FileOutput.pause(microseconds: 8_000)
                    let number = Int(request.path.dropFirst().prefix { $0.isNumber }) ?? 0
                    let file = try EncoderRegistry().encode(Pattern.picture(number), as: .png, options: EncodeOptions())
                    try connection.respond(LoopbackServer.Response(200, body: Array(file)))
                }
                let grid = GTKImageGrid(loader: loader, cellSize: PixelSize(width: 96, height: 96)) { index in
                    var request = ImageRequest(url: URL(string: server.url("/\(index).png"))!)
                    request.options.offScreenPolicy = .cancels
                    request.options.placeholder = .color(red: 1, green: 1, blue: 0, alpha: 1)
                    return request
                }
                (self.server, self.grid) = (server, grid)
                unsafe calotype_gtk_window_set_child(window, grid.widget)
                grid.count = Self.count
                steps = [
                    Step(name: "start", target: { _ in 0 }, pixelsPerFrame: 1),
                    Step(name: "end", target: { $0.maximumOffset }, pixelsPerFrame: 150),
                    Step(name: "back", target: { _ in 0 }, pixelsPerFrame: 900),
                ]
                for (index, place) in [0.31, 0.92, 0.07, 0.55, 0.551].enumerated() {
                    steps.append(Step(name: "jump\(index)", target: { $0.maximumOffset * place }, pixelsPerFrame: .infinity))
                }
                every(16) { [self] in unsafe scroll(window) }
                every(4) { [self] in gaps.tick() }
            } catch {
                say("FAULT \(error)")
                calotype_gtk_quit()
            }
        }

        private func scroll(_ window: UnsafeMutableRawPointer) -> Bool {
            guard let grid, let step = steps.first else { return finish() }
            let target = step.target(grid)
            if !hasArrived {
                guard grid.maximumOffset > 0 else { return true }
                let distance = target - grid.offset
                grid.offset += max(-step.pixelsPerFrame, min(step.pixelsPerFrame, distance))
                // GTK goes to the nearest place that it likes.
                hasArrived = abs(distance) <= step.pixelsPerFrame
                return true
            }
            let cells = unsafe grid.visibleCells(in: window)
            stoppedTicks += 1
            // A moment after the last movement, only what is on screen is being loaded.
            if stoppedTicks == 6 { offScreenLoads += max(0, loader.activity.loads - cells.count { $0.isLoading }) }
            restingTicks = !cells.isEmpty && !cells.contains { $0.isLoading } && loader.activity.loads == 0 ? restingTicks + 1 : 0
            guard restingTicks > 8 else { return true }
            steps.removeFirst()
            (restingTicks, stoppedTicks, hasArrived) = (0, 0, false)
            let places = cells.map { "\($0.position),\(Int($0.bounds.x.rounded())),\(Int($0.bounds.y.rounded()))" }
            say("REST \(step.name) \(grid.cellCount) \(FileOutput.residentBytes) \(places.joined(separator: ";"))")
            if step.name == "start" { startingTurn = GTKMainLoop.takeLongestTurn().time }
            _ = readLine()
            gaps.skip()
            return true
        }

        private func finish() -> Bool {
            let (time, turns) = GTKMainLoop.takeLongestTurn()
            say("LOADS offscreen=\(offScreenLoads) requests=\(server?.requests.value ?? 0)")
            say(
                "FRAMES ticks=\(gaps.ticks) over20ms=\(gaps.over) longest=\(gaps.longest / 1_000)us ours=\(Int(time / .microseconds(1)))us turns=\(turns) starting=\(Int(startingTurn / .microseconds(1)))us"
            )
            say("PASS scroll")
            calotype_gtk_quit()
            return false
        }
    }

    /// How regularly the loop turns, as a timer of 4 ms sees it.
    private struct Gaps {
        private(set) var longest: Int64 = 0
        private(set) var over = 0
        private(set) var ticks = 0
        private var last: Int64?

        mutating func tick() -> Bool {
            let now = calotype_gtk_now()
            if let last {
                ticks += 1
                longest = max(longest, now - last)
                if now - last > 20_000_000 { over += 1 }
            }
            last = now
            return true
        }

        /// What passed since the last tick was not the loop's doing.
        mutating func skip() { last = nil }
    }

    /// Pictures that can be told apart by each of their quarters.
    enum Pattern {
        static func picture(_ number: Int) throws -> DecodedImage {
            // Twice as large as it is shown, so that it must have been scaled down to fit its cell.
            let size = PixelSize(width: 192, height: 192)
            return DecodedImage(
                try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, row in
                    for y in 0..<192 {
                        for x in 0..<192 {
                            let quarter = (y >= 96 ? 2 : 0) + (x >= 96 ? 1 : 0)
                            let color = [number % 256, number / 256 * 31, quarter * 80, 255]
                            for (index, value) in color.enumerated() { unsafe pixels[y * row + x * 4 + index] = UInt8(value) }
                        }
                    }
                })
        }
    }
#endif
