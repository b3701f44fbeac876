import CGTK
import Calotype
import Foundation
import ImageTargetsGTK
import LabModel

/// Live plots of the loader and of the lab, and a trace.
@MainActor final class MetricsPage: Screen {
    let title = "Metrics"
    let layout = Layout(PackageResources.metrics_ui)
    private(set) var samples = Samples()
    /// The file of the trace that was written last, or is being written.
    private(set) var traceFile: URL?

    private let lab: Laboratory
    private let views: [PlotView]

    init(_ lab: Laboratory) {
        self.lab = lab
        views = samples.plots.map { PlotView($0) }
        for view in views { gtk_flow_box_insert(gtkCast(layout.widget("plots")), view.widget, -1) }
        layout.onClick("burst") { lab.startBurst() }
        layout.onClick("trace") { [weak self] in self?.switchTrace() }
    }

    var isTracing: Bool { lab.tracing.isOn }

    /// Adds the numbers of now to the plots, whether or not they are shown.
    func sample(frame: Duration) {
        samples.add(lab.loader.statistics, frame: frame, resident: Samples.residentMemory)
    }

    func update() {
        for (view, plot) in zip(views, samples.plots) { view.show(plot) }
    }

    func setNarrow(_ isNarrow: Bool) {}

    private func switchTrace() {
        let button = layout.widget("trace")
        if lab.tracing.isOn {
            lab.tracing.stop()
            gtk_button_set_label(gtkCast(button), "Begin a _trace")
            layout.setText("trace-state", "Written to \(traceFile?.path ?? ""). Open it on ui.perfetto.dev.")
            return
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "calotype-lab-\(getpid()).json")
        do {
            try lab.tracing.start(path: file.path)
            traceFile = file
            gtk_button_set_label(gtkCast(button), "End the _trace")
            layout.setText("trace-state", "Every load is written to \(file.path) …")
        } catch {
            layout.setText("trace-state", Format.sentence(error))
        }
    }
}
