import CCalotypeGTKStage
import ImageTargetsGTK

/// A grid of 2,000 images, of which 50 are animations, that scrolls for a number of seconds by itself. It prints what
/// it measured, and whether no cell was blank, memory did not grow, no frame took long, and nothing loaded off screen.
final class SoakScenario: Scenario {
    private let list = ServedList(columns: 10, animationInterval: 40)
    private let duration: Duration
    private let start = ContinuousClock.now
    private var frames = 0
    private var blankCells = 0
    /// The time of the list in each frame, in milliseconds.
    private var shares: [Double] = []
    private var residentBytes = 0
    private var isScrolling = true

    init(seconds: Int) { duration = .seconds(seconds) }

    var windowSize: (width: Int, height: Int) { list.windowSize }

    func start(in window: UnsafeMutableRawPointer) {
        unsafe clt_stage_measure(
            window, { unsafe SoakScenario.report($0, $1) }, Unmanaged.passRetained(self).toOpaque())
        do {
            try unsafe list.start(in: window)
        } catch {
            printLine("FAILED \(error)")
            return clt_stage_quit()
        }
        unsafe clt_stage_measure_list(window)
        unsafe afterEachPaint(of: window) { [self] in unsafe painted(window) }
        Task {
            do {
                try await Task.sleep(for: duration)
                isScrolling = false
                try await finish(UInt(bitPattern: window))
            } catch {
                printLine("FAILED \(error)")
            }
            clt_stage_quit()
        }
    }

    private nonisolated static func report(_ context: UnsafeMutableRawPointer?, _ milliseconds: Double) {
        let address = UInt(bitPattern: context)
        MainActor.assumeIsolated {
            guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
            unsafe Unmanaged<SoakScenario>.fromOpaque(context).takeUnretainedValue().shares.append(milliseconds)
        }
    }

    private func painted(_ window: UnsafeMutableRawPointer) {
        frames += 1
        blankCells += unsafe list.blankCells(in: window)
        let time = (ContinuousClock.now - start) / .seconds(1)
        // After a warm-up, in which the memory cache has become full.
        if residentBytes == 0, time > duration / .seconds(1) / 3 { residentBytes = FileOutput.residentBytes }
        guard isScrolling, list.offset.maximum > 0 else { return }
        // Forth and back, with a short rest at each end, at changing speeds.
        let phase = (time / 20).truncatingRemainder(dividingBy: 1)
        let part = min(1, max(0, 1.2 * (phase < 0.5 ? phase * 2 : 2 - phase * 2) - 0.1))
        list.scroll(to: part * part * list.offset.maximum)
    }

    private func finish(_ address: UInt) async throws {
        guard let window = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
        list.scroll(to: 0)
        let scrolled = (frames, blankCells, residentBytes)
        try await expect("loads everything on screen") { unsafe list.loadedCells(in: window) != nil }
        expect(unsafe list.loadsOffScreen(in: window) == 0, "loads nothing off screen")
        let growth = (FileOutput.residentBytes - scrolled.2) / 1_000_000
        let sorted = shares.dropFirst(60).sorted()
        let (worst, typical) = (sorted.last ?? 0, sorted.isEmpty ? 0 : sorted[sorted.count * 99 / 100])
        printLine(
            "SOAK frames=\(scrolled.0) blank=\(scrolled.1) worst=\(worst) p99=\(typical) resident=\(scrolled.2 / 1_000_000) growth=\(growth)"
        )
        expect(scrolled.0 > 20 && scrolled.1 == 0, "paints no blank cell")
        expect(growth < 40, "memory is flat")
        // Unoptimized code is slower.
        #if !DEBUG
            expect(typical <= 8, "takes at most eight milliseconds of a frame")
        #endif
        try await expect("plays animations") { frames > scrolled.0 + 20 }
    }
}
