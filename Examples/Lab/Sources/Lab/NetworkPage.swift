import CGTK
import Calotype
import ImageTargetsGTK
import LabModel

/// Buttons that let something happen to a network, with a timeline of what follows.
@MainActor final class NetworkPage: Screen {
    let title = "Network"
    let layout = Layout(PackageResources.network_ui)
    /// The result of each scenario that has ended.
    private(set) var results: [String: Bool] = [:]
    private(set) var running: String?

    private let lab: Laboratory
    private let view = GTKImageView(contentMode: .fit)
    private var shownEntries = 0

    init(_ lab: Laboratory) {
        self.lab = lab
        gtk_widget_set_size_request(gtkCast(view.widget), 216, 144)
        gtk_box_append(gtkCast(layout.widget("result")), gtkCast(view.widget))
        for scenario in Scenario.all {
            let button: Widget = gtkCast(gtk_button_new_with_label(scenario.title))
            gtk_widget_set_tooltip_text(button, scenario.summary)
            gtk_flow_box_insert(gtkCast(layout.widget("scenarios")), button, -1)
            GTKSignals.connect(button, "clicked") { [weak self] in self?.run(scenario) }
        }
    }

    func setNarrow(_ isNarrow: Bool) {
        gtk_orientable_set_orientation(
            gtkCast(layout.widget("columns")), isNarrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
    }

    private func run(_ scenario: Scenario) {
        guard running == nil else { return }
        running = scenario.id
        results[scenario.id] = nil
        gtk_widget_set_sensitive(layout.widget("scenarios"), 0)
        gtk_widget_remove_css_class(layout.widget("status"), "expected")
        gtk_widget_remove_css_class(layout.widget("status"), "unexpected")
        layout.setText("status", "\(scenario.title) …")
        view.clear()
        view.setLoading(true)
        let list = layout.widget("timeline")
        while let row = gtk_widget_get_first_child(list) { gtk_list_box_remove(gtkCast(list), row) }
        shownEntries = 0
        Task {
            let progress = Task { [weak self] in
                while (try? await Task.sleep(for: .milliseconds(100))) != nil { self?.update() }
            }
            let result = await scenario.run(on: lab.server, lab.timeline)
            progress.cancel()
            update()
            view.setLoading(false)
            if let image = result.image { view.setImage(image, transition: .none) }
            gtk_widget_add_css_class(layout.widget("status"), result.isAsExpected ? "expected" : "unexpected")
            layout.setText("status", "\(scenario.title): \(result.isAsExpected ? "✓ as expected" : "not as expected")")
            (running, results[scenario.id]) = (nil, result.isAsExpected)
            gtk_widget_set_sensitive(layout.widget("scenarios"), 1)
        }
    }

    /// Adds the new entries to the timeline.
    func update() {
        let entries = lab.timeline.entries
        guard entries.count > shownEntries else { return }
        for entry in entries[shownEntries...] {
            let time = Make.label(Format.time(entry.time), "numeric", "dim-label", "small")
            gtk_label_set_width_chars(gtkCast(time), 7)
            gtk_label_set_xalign(gtkCast(time), 1)
            let source = Make.label(entry.source.rawValue, "source", entry.source.rawValue)
            gtk_label_set_xalign(gtkCast(source), 0.5)
            let text = Make.label(entry.text, wraps: true)
            gtk_widget_set_hexpand(text, 1)
            for label in [time, source] { gtk_widget_set_valign(label, GTK_ALIGN_START) }
            gtk_list_box_append(
                gtkCast(layout.widget("timeline")),
                Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 10, [time, source, text]))
        }
        shownEntries = entries.count
        // The last entry is visible, once the list has its new height.
        Task {
            try? await Task.sleep(for: .milliseconds(60))
            let position = gtk_scrolled_window_get_vadjustment(gtkCast(layout.widget("scroller")))
            gtk_adjustment_set_value(position, gtk_adjustment_get_upper(position))
        }
    }
}
