import CGTK
import Calotype
import ImageTargetsGTK
import LabModel

/// The three layers of options side by side, what they merge to, and an image that is loaded with it.
@MainActor final class ConfigurationPage: Screen {
    let title = "Configuration"
    let layout = Layout(PackageResources.configuration_ui)
    private(set) var layers = Layers()
    /// The sentence that says which values are invalid; `nil` if all are valid.
    private(set) var problem: String?
    /// Whether the image has been loaded with the present options.
    private(set) var isLoaded = false

    private let lab: Laboratory
    private let view = GTKImageView(contentMode: .fit)
    /// The editors of each field in the three layers, and the labels of its merged value and origin.
    private var rows: [(field: OptionField, editors: [Widget], merged: Widget, origin: Widget)] = []
    private(set) var presets: [Widget] = []
    private var isFillingIn = false
    private var loader: ImageLoader?

    init(_ lab: Laboratory) {
        self.lab = lab
        gtk_widget_set_size_request(gtkCast(view.widget), 240, 160)
        gtk_box_prepend(gtkCast(layout.widget("result")), gtkCast(view.widget))
        layout.setText(
            "others",
            "An empty field inherits the layer below. Only code sets: " + OptionField.withoutEditor.joined(separator: ", "))
        addHeadings()
        for (index, field) in OptionField.all.enumerated() { addRow(field, at: Int32(index + 2)) }
        showMerged()
    }

    private func attach(_ widget: Widget, _ column: Int, _ row: Int32) {
        gtk_grid_attach(gtkCast(layout.widget("form")), widget, Int32(column), row, 1, 1)
    }

    private func addHeadings() {
        for (column, name) in (["Option"] + Layers.names + ["Merged", "From"]).enumerated() {
            attach(Make.label(name, "heading"), column, 0)
        }
        attach(Make.label("Preset", "dim-label"), 0, 1)
        for (layer, name) in Layers.names.enumerated() {
            let choice = Make.choice(Layers.presets.map(\.name)) { [weak self] in self?.apply(preset: $0, to: layer) }
            Layout.setLabel("Preset of the \(name.lowercased()) layer", of: choice)
            presets.append(choice)
            attach(choice, layer + 1, 1)
        }
    }

    private func addRow(_ field: OptionField, at row: Int32) {
        attach(Make.label(field.name + (field.unit.map { " (\($0))" } ?? "")), 0, row)
        let editors = Layers.names.indices.map { layer in
            let editor = makeEditor(field, layer)
            Layout.setLabel("\(field.name), \(Layers.names[layer].lowercased()) layer", of: editor)
            attach(editor, layer + 1, row)
            return editor
        }
        let (merged, origin) = (Make.label("", "numeric"), Make.label("", "origin"))
        gtk_label_set_width_chars(gtkCast(merged), 15)
        gtk_widget_set_halign(origin, GTK_ALIGN_START)
        gtk_widget_set_valign(origin, GTK_ALIGN_CENTER)
        attach(merged, 4, row)
        attach(origin, 5, row)
        rows.append((field, editors, merged, origin))
    }

    /// A list of the values, or an entry for a text.
    private func makeEditor(_ field: OptionField, _ layer: Int) -> Widget {
        guard field.choices.isEmpty else {
            return Make.choice(["–"] + field.choices) { [weak self] selected in
                self?.set(field, selected == 0 ? "" : field.choices[selected - 1], in: layer)
            }
        }
        let entry: Widget = gtkCast(gtk_entry_new())
        gtk_entry_set_placeholder_text(gtkCast(entry), "–")
        gtk_editable_set_width_chars(gtkCast(entry), 12)
        GTKSignals.connect(entry, "changed") { [weak self] in
            self?.set(field, String(cString: gtk_editable_get_text(gtkCast(entry))), in: layer)
        }
        return entry
    }

    func update() { if loader == nil { load() } }

    func setNarrow(_ isNarrow: Bool) {
        gtk_orientable_set_orientation(
            gtkCast(layout.widget("columns")), isNarrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
    }

    // MARK: Changes

    /// Sets an option in a layer, as its editor does.
    func set(_ field: OptionField, _ text: String, in layer: Int) {
        guard !isFillingIn else { return }
        guard field.set(text, in: &layers.all[layer]) else {
            return showProblem("“\(text)” is not a value of \(field.name)\(field.unit.map { " (\($0))" } ?? "").")
        }
        showMerged()
    }

    /// Types a text into the editor of an option.
    func type(_ text: String, into name: String, layer: Int) {
        guard let row = rows.first(where: { $0.field.name == name }) else { return }
        gtk_editable_set_text(gtkCast(row.editors[layer]), text)
    }

    private func apply(preset: Int, to layer: Int) {
        layers.all[layer] = Layers.presets[preset].layer
        isFillingIn = true
        for row in rows {
            let (editor, text) = (row.editors[layer], row.field.text(layers.all[layer]) ?? "")
            if row.field.choices.isEmpty {
                gtk_editable_set_text(gtkCast(editor), text)
            } else {
                gtk_drop_down_set_selected(gtkCast(editor), guint((row.field.choices.firstIndex(of: text) ?? -1) + 1))
            }
        }
        isFillingIn = false
        showMerged()
    }

    private func showMerged() {
        switch layers.merged {
        case .failure(let error): showProblem(error.message)
        case .success(let options):
            showProblem(nil)
            for row in rows {
                let origin = layers.origin(of: row.field)
                gtk_label_set_text(gtkCast(row.merged), row.field.merged(options))
                gtk_label_set_text(gtkCast(row.origin), origin == "standard" ? "default" : origin)
                gtk_widget_set_css_classes(row.origin, nil)
                for name in origin == "standard" ? ["dim-label", "small"] : ["origin", origin] {
                    gtk_widget_add_css_class(row.origin, name)
                }
            }
            if loader != nil { load() }
        }
    }

    private func showProblem(_ text: String?) {
        problem = text
        layout.setText("problem", text ?? "")
        gtk_widget_set_visible(layout.widget("problem"), text == nil ? 0 : 1)
    }

    /// Loads the image with the merged options, by a loader that has the global layer.
    private func load() {
        isLoaded = false
        let global = layers.all[0]
        let loader = ImageLoader.standard(.memoryOnly) { $0.options = global }
        loader.runtimeOptions = layers.all[2]
        self.loader = loader
        let target = view.makeTarget(loader: loader)
        var request = ImageRequest(url: lab.server.url("/photo.jpg"), options: layers.all[1])
        if request.options.accessibilityLabel == nil { request.options.accessibilityLabel = "The landscape" }
        target.setImage(request) { [weak self] result in
            self?.isLoaded = true
            switch result {
            case .success(let response): self?.layout.setText("outcome", "\(response)")
            case .failure(let error): self?.layout.setText("outcome", Format.sentence(error))
            }
        }
    }
}
