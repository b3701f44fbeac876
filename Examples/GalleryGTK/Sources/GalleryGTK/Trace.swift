import CGTK
import Foundation
import ImageTargetsGTK

/// Writes what the window shows to standard output, for a test (`--trace`): a line of words `name=value` after each
/// change. Bounds are in pixels from the upper left corner of the window, including its frame.
@MainActor final class Trace {
    private var last = ""

    /// Writes a line if something has changed.
    func write(
        _ words: [(name: String, value: String)], _ list: GTKImageList, isListShown: Bool,
        window: UnsafeMutablePointer<GtkWidget>,
        _ widgets: (page: UnsafeMutableRawPointer, back: UnsafeMutableRawPointer, layout: UnsafeMutableRawPointer)
    ) {
        let cells = isListShown ? list.visibleCells(in: window) : []
        var origin = (x: 0.0, y: 0.0)
        gtk_native_get_surface_transform(gtkCast(window), &origin.x, &origin.y)
        func bounds(_ widget: UnsafeMutableRawPointer) -> String {
            var bounds = graphene_rect_t()
            guard gtk_widget_compute_bounds(gtkCast(widget), gtkCast(window), &bounds) != 0 else { return "" }
            let (x, y) = (Double(bounds.origin.x) + origin.x, Double(bounds.origin.y) + origin.y)
            return "\(Int(x)),\(Int(y)),\(Int(bounds.size.width)),\(Int(bounds.size.height))"
        }
        let positions = cells.map { "\($0.position),\(Int($0.bounds.x + origin.x)),\(Int($0.bounds.y + origin.y))" }
        let all =
            words + [
                ("selected", list.selected.map { "\($0)" } ?? ""), ("offset", "\(Int(list.offset))"),
                ("loading", "\(cells.count { $0.isLoading })"), ("blank", "\(cells.count { $0.isBlank })"),
                ("page-bounds", bounds(widgets.page)), ("back", bounds(widgets.back)), ("layout", bounds(widgets.layout)),
                ("cells", positions.joined(separator: ";")),
            ]
        let line = all.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        guard line != last else { return }
        last = line
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
