import CGTK
import Calotype
import ImageTargetsGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// The objects of a layout file, by their identifiers.
@MainActor struct Layout {
    private let builder: OpaquePointer

    /// Reads a file of the folder Layout. A mistake in it ends the program.
    init(_ file: [UInt8]) {
        builder = gtkCast(gtk_builder_new_from_string(String(decoding: file, as: UTF8.self), -1))
    }

    /// A widget that the file names.
    func widget(_ id: String) -> Widget {
        guard let object = gtk_builder_get_object(gtkCast(builder), id) else { preconditionFailure("There is no \(id).") }
        return gtkCast(object)
    }

    func setText(_ id: String, _ text: String) { gtk_label_set_text(gtkCast(widget(id)), text) }

    func onClick(_ id: String, _ action: @escaping @MainActor () -> Void) {
        GTKSignals.connect(widget(id), "clicked", action)
    }
}

/// Widgets that are made in code, because their number depends on data.
@MainActor enum Make {
    static func label(_ text: String, _ classes: String..., wraps: Bool = false) -> Widget {
        let label: Widget = gtkCast(gtk_label_new(text))
        gtk_label_set_xalign(gtkCast(label), 0)
        if wraps {
            gtk_label_set_wrap(gtkCast(label), 1)
            gtk_label_set_wrap_mode(gtkCast(label), PANGO_WRAP_WORD_CHAR)
        }
        for name in classes { gtk_widget_add_css_class(label, name) }
        return label
    }

    static func box(_ orientation: GtkOrientation, spacing: Int32, _ children: [Widget], _ classes: String...) -> Widget {
        let box: Widget = gtkCast(gtk_box_new(orientation, spacing))
        for child in children { gtk_box_append(gtkCast(box), child) }
        for name in classes { gtk_widget_add_css_class(box, name) }
        return box
    }

    /// A drop-down list of texts.
    static func choice(_ texts: [String], _ onSelect: @escaping @MainActor (Int) -> Void) -> Widget {
        let items = gtk_string_list_new(nil)
        for text in texts { gtk_string_list_append(items, text) }
        let list: Widget = gtkCast(gtk_drop_down_new(gtkCast(items), nil))
        GTKSignals.connect(list, "notify::selected") { onSelect(Int(gtk_drop_down_get_selected(gtkCast(list)))) }
        return list
    }
}

extension Layout {
    /// Sets what a screen reader calls a widget.
    static func setLabel(_ label: String, of widget: Widget) {
        var (property, value) = (GTK_ACCESSIBLE_PROPERTY_LABEL, GValue())
        gtk_accessible_property_init_value(property, &value)
        g_value_set_string(&value, label)
        gtk_accessible_update_property_value(gtkCast(widget), 1, &property, &value)
        g_value_unset(&value)
    }
}
