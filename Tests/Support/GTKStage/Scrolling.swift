#if GTK
    import CCalotypeGTKStage
    import Dispatch
    import ImageCore
    import ImageTargetsGTK

    /// A scene that the test scrolls by the pointer and the keyboard, with these orders on standard input:
    /// `rest NAME` is answered once nothing moves and nothing loads, with the places of the cells. `end` is answered with
    /// counts of loads and frames. `scroll OFFSET…` sets one offset after the other, within one turn of the
    /// loop. `hide OFFSET` scrolls there, holds the loads, and hides the list; it is answered once nothing loads any more, and
    /// the list is shown again. `activations` is answered with how often a cell was activated so far.
    final class Scrolling: Act {
        private var scene: any Scene
        private var orders: [[String]] = []
        private var lastOffset = -1.0
        /// Ticks for which the grid has not moved, and for which nothing has loaded either.
        private var (stoppedTicks, restingTicks) = (0, 0)
        private var loadsOffScreen = 0
        private var hiding: Hiding?
        private enum Hiding { case waiting, hidden(loads: Int, ticks: Int) }
        /// Frames, and cells that were blank in one.
        private var (frames, blankCells) = (0, 0)
        /// Requests that the list asked for until the last frame, and the most in one frame.
        private var (requestsMade, mostRequests) = (0, 0)

        init(_ scene: any Scene) { self.scene = scene }

        var size: (width: Int, height: Int) { scene.size }

        func begin(in window: UnsafeMutableRawPointer) {
            do {
                try unsafe scene.begin(in: window)
                every(16) { [self] in unsafe look(window) }
                unsafe afterEachPaint(of: window) { [self] in
                    frames += 1
                    mostRequests = max(mostRequests, scene.requestsMade - requestsMade)
                    requestsMade = scene.requestsMade
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
            if let hiding { return hide(hiding) }
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
            let numbers = order.dropFirst().compactMap { Double($0) }
            switch order[0] {
            case "rest": rest(order[1], places)
            case "activations": say("ACTIVATED \(scene.activations)")
            case "scroll": for offset in numbers { scene.scroll(to: offset) }
            case "hide":
                hiding = .waiting
                try? scene.hold(true)
                if let offset = numbers.first { scene.scroll(to: offset) }
            default: return finish()
            }
            return true
        }

        private func rest(_ name: String, _ places: [GTKImageList.VisibleCell]) {
            let (offset, maximum) = scene.offset
            let cells = places.map { "\($0.position),\(Int($0.bounds.x.rounded())),\(Int($0.bounds.y.rounded()))" }
            say(
                "REST \(name) \(scene.cellCount) \(FileOutput.residentBytes) \(Int(offset)) \(Int(maximum)) \(cells.joined(separator: ";"))"
            )
        }

        private func hide(_ hiding: Hiding) -> Bool {
            switch hiding {
            case .waiting:
                guard scene.loads > 0 else { return true }
                self.hiding = .hidden(loads: scene.loads, ticks: 0)
                scene.show(false)
            case .hidden(let loads, let ticks) where scene.loads > 0 && ticks < 300:
                self.hiding = .hidden(loads: loads, ticks: ticks + 1)
            case .hidden(let loads, _):
                say("HIDDEN before=\(loads) after=\(scene.loads)")
                self.hiding = nil
                try? scene.hold(false)
                scene.show(true)
            }
            return true
        }

        private func finish() -> Bool {
            say("LOADS offscreen=\(loadsOffScreen) requests=\(scene.requests)")
            say("PAINTED frames=\(frames) blank=\(blankCells) requests=\(mostRequests)")
            say("PASS")
            calotype_stage_quit()
            return false
        }
    }
#endif
