#if GTK
    import CCalotypeGTK
    import CCalotypeGTKStage
    import Dispatch
    import ImageCore
    import ImageTargetsGTK

    /// A scene that somebody else scrolls, by the pointer and the keyboard. The test writes what it wants to know:
    /// `rest NAME` is answered once nothing moves and nothing loads, with which cell lies where; `end` with the loop's times.
    final class Scrolling: Act {
        private var scene: any Scene
        private var orders: [[String]] = []
        private var gaps = Gaps()
        private var lastOffset = -1.0
        /// Ticks for which the grid has not moved, and for which nothing has loaded either.
        private var (stoppedTicks, restingTicks) = (0, 0)
        private var loadsOffScreen = 0

        init(_ scene: any Scene) { self.scene = scene }

        var size: (width: Int, height: Int) { (scene.columns * 96, 720 * scene.columns / 10) }

        func begin(in window: UnsafeMutableRawPointer) {
            do {
                try unsafe scene.begin(in: window)
                every(16) { [self] in unsafe look(window) }
                every(4) { [self] in gaps.tick() }
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
            if order[1] == "start" {
                gaps.forget()
                calotype_gtk_forget_turns()
            }
            return true
        }

        private func finish() -> Bool {
            say("LOADS offscreen=\(loadsOffScreen) requests=\(scene.requests)")
            say(gaps.report)
            let kinds = ["all", "queue", "make", "bind", "unbind", "moved", "fade"]
            for (kind, name) in kinds.enumerated() {
                let turns = calotype_gtk_turns_of(Int32(kind))
                say(
                    "TURNS \(name) count=\(turns.count) total=\(turns.total.clock) longest=\(turns.longest.clock) processor=\(turns.total.processor) longest-processor=\(turns.longest.processor)"
                )
            }
            say("PASS")
            calotype_stage_quit()
            return false
        }
    }

    /// How regularly the loop turns, as a timer of 4 ms sees it, and how much of each gap this framework took.
    private struct Gaps {
        private var ticks = 0
        private var last: (now: Int64, ours: calotype_gtk_time)?
        /// Gaps of more than 16 ms, and the longest.
        private var (over, longest): (Int, Int64) = (0, 0)
        /// Microseconds of ours in the gap that had most of them, and in the longest one.
        private var most = calotype_gtk_time()
        private var inLongest = calotype_gtk_time()

        mutating func tick() -> Bool {
            let (now, ours) = (calotype_stage_now() / 1_000, calotype_gtk_turns_of(Int32(CALOTYPE_GTK_ALL)).total)
            if let last {
                let part = calotype_gtk_time(
                    clock: ours.clock - last.ours.clock, processor: ours.processor - last.ours.processor)
                ticks += 1
                if now - last.now > 16_000 { over += 1 }
                if now - last.now > longest { (longest, inLongest) = (now - last.now, part) }
                most = calotype_gtk_time(
                    clock: max(most.clock, part.clock), processor: max(most.processor, part.processor))
            }
            last = (now, ours)
            return true
        }

        /// Begins anew.
        mutating func forget() { self = Gaps() }

        var report: String {
            "FRAMES ticks=\(ticks) over16ms=\(over) longest=\(longest) ours-in-longest=\(inLongest.clock) most-of-ours=\(most.clock) most-processor=\(most.processor)"
        }
    }
#endif
