#if GTK
    import CCalotypeGTK
    import CCalotypeGTKStage
    import Dispatch
    import ImageCore
    import ImageTargetsGTK

    /// A scene that somebody else scrolls, by the pointer and the keyboard. The test writes what it wants to know:
    /// `rest NAME` is answered once nothing moves and nothing loads, with which cell lies where; `end` with the loop's times, for
    /// what led to each rest.
    final class Scrolling: Act {
        private var scene: any Scene
        private var orders: [[String]] = []
        private var gaps = Gaps()
        private var reports: [String] = []
        private var lastOffset = -1.0
        /// Ticks for which the grid has not moved, and for which nothing has loaded either.
        private var (stoppedTicks, restingTicks) = (0, 0)
        private var loadsOffScreen = 0
        /// Frames, and cells that were blank in one.
        private var (frames, blankCells) = (0, 0)

        init(_ scene: any Scene) { self.scene = scene }

        var size: (width: Int, height: Int) { scene.size }

        func begin(in window: UnsafeMutableRawPointer) {
            do {
                try unsafe scene.begin(in: window)
                every(16) { [self] in unsafe look(window) }
                every(4) { [self] in gaps.tick() }
                unsafe afterEachPaint(of: window) { [self] in
                    frames += 1
                    blankCells += unsafe scene.blankCells(in: window)
                }
                DispatchQueue.global().async {
                    while let line = readLine() {
                        let words = line.split(separator: " ").map(String.init)
                        Task { @MainActor in self.orders.append(words) }
                    }
                    Task { @MainActor in calotype_stage_quit() }
                }
            } catch {
                say("FAULT \(error)")
                calotype_stage_quit()
            }
        }

        private func look(_ window: UnsafeMutableRawPointer) -> Bool {
            let (offset, maximum) = scene.offset
            stoppedTicks = offset == lastOffset && maximum > 0 ? stoppedTicks + 1 : 0
            lastOffset = offset
            // A moment after the last movement, only what is on screen is being loaded.
            if stoppedTicks == 6 { loadsOffScreen += unsafe scene.loadsOffScreen(in: window) }
            let places = unsafe scene.places(in: window)
            restingTicks = places != nil && stoppedTicks > 0 ? restingTicks + 1 : 0
            guard restingTicks > 8, let places, let order = orders.first else { return true }
            orders.removeFirst()
            restingTicks = 0
            guard order[0] == "rest" else { return finish() }
            let cells = places.map { "\($0.position),\(Int($0.bounds.x.rounded())),\(Int($0.bounds.y.rounded()))" }
            say(
                "REST \(order[1]) \(scene.cellCount) \(FileOutput.residentBytes) \(Int(offset)) \(Int(maximum)) \(cells.joined(separator: ";"))"
            )
            // The window's first frames, in which GTK makes hundreds of cells, are told apart.
            if order[1] == "start" { calotype_gtk_measure_turns() }
            reports.append("FRAMES \(order[1]) \(gaps)")
            gaps = Gaps()
            return true
        }

        private func finish() -> Bool {
            say("LOADS offscreen=\(loadsOffScreen) requests=\(scene.requests)")
            say("PAINTED frames=\(frames) blank=\(blankCells)")
            for report in reports { say(report) }
            let kinds = ["all", "queue", "make", "bind", "unbind", "moved", "fade", "draw", "other"]
            for (kind, name) in kinds.enumerated() {
                let turns = calotype_gtk_turns_of(Int32(kind))
                say(
                    "TURNS \(name) count=\(turns.count) clock=\(turns.total.clock) processor=\(turns.total.processor) held=\(turns.total.held) longest-clock=\(turns.longest.clock) longest-processor=\(turns.longest.processor) longest-held=\(turns.longest.held)"
                )
            }
            say("PASS")
            calotype_stage_quit()
            return false
        }
    }
#endif
