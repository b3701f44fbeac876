import CCalotypeGTKStage
import CalotypeTesting
import ImageCore
import ImageTargetsGTK

/// The conformance checks of image views on a GTK widget, and tests of its fade and of the desktop's setting for
/// animations.
final class ConformanceScenario: Scenario {
    /// The view, which must not be made before GTK runs.
    private lazy var view = GTKImageView()

    var windowSize: (width: Int, height: Int) { (960, 720) }

    func start(in window: UnsafeMutableRawPointer) {
        unsafe clt_stage_set_child(window, view.widget)
        Task {
            do {
                try await checkImageViewAdapterConformance(of: view) { view in await ConformanceScenario.appearance(of: view)
                }
                printLine("PASS conformance")
                try await checkImageViewAdapterPrograms(
                    makeView: { GTKImageView() }, appearance: { ConformanceScenario.appearance(of: $0) })
                printLine("PASS programs")
                checkProgress()
                try checkFade()
            } catch {
                printLine("FAILED \(error)")
                clt_stage_quit()
            }
        }
    }

    private static func appearance(of view: GTKImageView) -> ViewAppearance {
        ViewAppearance(
            color: Array(view.middleColor()?.prefix(3) ?? []), isLoading: view.isLoading, hasFailed: view.hasFailed,
            label: view.accessibilityLabel ?? "")
    }

    /// Checks that a new load hides the progress bar of the previous load.
    private func checkProgress() {
        view.setLoading(true)
        view.setProgress(LoadProgress(received: 1, expected: 2))
        let progress = view.progress
        view.setLoading(true)
        printLine(
            progress == 0.5 && view.progress == nil
                ? "PASS progress" : "FAILED progress: the view shows the progress of the previous load")
        view.setLoading(false)
    }

    /// Fades from red to blue. The fade takes four seconds, so that a busy machine also observes blended colours; a
    /// short fade then reaches blue.
    private func checkFade() throws {
        clt_stage_set_animates(true)
        if view.prefersReducedMotion() { printLine("FAILED motion: enabled animations have no effect") }
        let (red, blue) = (try TestImages.solid(red: 250), try TestImages.solid(blue: 250))
        func fade(for time: Duration) {
            view.setImage(red, transition: .none)
            view.setImage(blue, transition: .fade(time))
        }
        fade(for: .seconds(4))
        var blends: Set<[UInt8]> = []
        var ticks = 0
        every(10) { [self] in
            ticks += 1
            let color = Array(view.middleColor()?.prefix(3) ?? [])
            if blends.count < 2, color.count == 3, color[0] > 10, color[2] > 10 {
                blends.insert(color)
                if blends.count == 2 { fade(for: .milliseconds(200)) }
                return true
            }
            guard color == [0, 0, 250] || ticks > 1000 else { return true }
            printLine(
                color == [0, 0, 250] && blends.count == 2 ? "PASS fade" : "FAILED fade: \(color) after \(blends.count) blends"
            )
            clt_stage_set_animates(false)
            if !view.prefersReducedMotion() { printLine("FAILED motion: disabled animations have no effect") }
            printLine("PASS motion")
            clt_stage_quit()
            return false
        }
    }
}
