import CGTK
import Calotype
import ImageTargetsGTK
import LabModel

/// A widget that a closure draws with cairo.
@MainActor final class Canvas {
    let widget: Widget = gtkCast(gtk_drawing_area_new())
    /// Draws into an area of a width and a height, in the application's pixels.
    var draw: (OpaquePointer, Double, Double) -> Void = { _, _, _ in }

    init(width: Int32, height: Int32) {
        gtk_widget_set_size_request(widget, width, height)
        // The widget retains this object, which does not retain the widget.
        gtk_drawing_area_set_draw_func(
            gtkCast(widget),
            { _, cairo, width, height, context in
                let addresses = (UInt(bitPattern: cairo), UInt(bitPattern: context))
                MainActor.assumeIsolated {
                    guard let cairo = OpaquePointer(bitPattern: addresses.0),
                        let context = UnsafeRawPointer(bitPattern: addresses.1)
                    else { return }
                    Unmanaged<Canvas>.fromOpaque(context).takeUnretainedValue().draw(cairo, Double(width), Double(height))
                }
            }, Unmanaged.passRetained(self).toOpaque(), { $0.map { Unmanaged<Canvas>.fromOpaque($0).release() } })
    }

    func redraw() { gtk_widget_queue_draw(widget) }

    /// The colour of text, which is that of the theme.
    var textColor: GdkRGBA {
        var color = GdkRGBA()
        gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color)
        return color
    }
}

/// The screen of a terminal with half blocks.
@MainActor final class TerminalView {
    private let canvas: Canvas
    private var screen = TerminalScreen([])
    var widget: Widget { canvas.widget }

    init(width: Int32, height: Int32) {
        canvas = Canvas(width: width, height: height)
        canvas.draw = { [weak self] cairo, width, height in self?.draw(cairo, width, height) }
        Layout.setLabel("A terminal with half blocks", of: widget)
    }

    func show(_ screen: TerminalScreen) {
        self.screen = screen
        canvas.redraw()
    }

    private func draw(_ cairo: OpaquePointer, _ width: Double, _ height: Double) {
        cairo_set_source_rgb(cairo, 0.08, 0.08, 0.1)
        cairo_paint(cairo)
        // Whole device pixels, so that no background shows between cells.
        cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE)
        let side = min(width / Double(TerminalScreen.columns), height / Double(TerminalScreen.rows * 2))
        let left = (width - side * Double(screen.cells.first?.count ?? 0)) / 2
        let top = (height - side * 2 * Double(screen.cells.count)) / 2
        for (row, cells) in screen.cells.enumerated() {
            for (column, cell) in cells.enumerated() {
                for (half, color) in [cell.top, cell.bottom].enumerated() {
                    guard let color else { continue }
                    cairo_set_source_rgb(
                        cairo, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255)
                    cairo_rectangle(cairo, left + Double(column) * side, top + Double(row * 2 + half) * side, side, side)
                    cairo_fill(cairo)
                }
            }
        }
    }
}

/// A plot of the last minute.
@MainActor final class PlotView {
    private static let colors = [(0.21, 0.52, 0.89), (0.90, 0.38, 0.0)]
    private let canvas = Canvas(width: 300, height: 130)
    private let labels: [Widget]
    let widget: Widget
    private var plot: Samples.Plot

    init(_ plot: Samples.Plot) {
        self.plot = plot
        labels = plot.lines.map { _ in Make.label("", "numeric", "small") }
        let legend = labels.enumerated().flatMap { index, label -> [Widget] in
            let swatch = Canvas(width: 10, height: 10)
            swatch.draw = { cairo, width, height in
                let color = PlotView.colors[index]
                cairo_set_source_rgb(cairo, color.0, color.1, color.2)
                cairo_arc(cairo, width / 2, height / 2, 5, 0, 2 * .pi)
                cairo_fill(cairo)
            }
            gtk_widget_set_valign(swatch.widget, GTK_ALIGN_CENTER)
            return [swatch.widget, label]
        }
        gtk_widget_set_vexpand(canvas.widget, 1)
        widget = Make.box(
            GTK_ORIENTATION_VERTICAL, spacing: 8,
            [
                Make.label(plot.title, "heading"), canvas.widget,
                Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 6, legend),
            ], "lab-card")
        canvas.draw = { [weak self] cairo, width, height in self?.draw(cairo, width, height) }
    }

    func show(_ plot: Samples.Plot) {
        self.plot = plot
        for (label, line) in zip(labels, plot.lines) {
            gtk_label_set_text(gtkCast(label), "\(line.name) \(line.values.last.map(plot.format) ?? "–")   ")
        }
        Layout.setLabel("\(plot.title): \(plot.summary)", of: canvas.widget)
        canvas.redraw()
    }

    private func draw(_ cairo: OpaquePointer, _ width: Double, _ height: Double) {
        let text = canvas.textColor
        func setText(_ alpha: Double) {
            cairo_set_source_rgba(cairo, Double(text.red), Double(text.green), Double(text.blue), alpha)
        }
        let (top, bottom) = (16.0, height - 2)
        cairo_set_line_width(cairo, 1)
        for fraction in [0, 0.5, 1] {
            let y = (bottom - (bottom - top) * fraction).rounded() - 0.5
            setText(fraction == 0 ? 0.3 : 0.12)
            cairo_move_to(cairo, 0, y)
            cairo_line_to(cairo, width, y)
            cairo_stroke(cairo)
        }
        setText(0.65)
        cairo_set_font_size(cairo, 11)
        cairo_move_to(cairo, 0, 11)
        cairo_show_text(cairo, plot.format(plot.top))
        for (line, color) in zip(plot.lines, PlotView.colors) where line.values.count > 1 {
            let step = width / Double(Samples.limit - 1)
            for (index, value) in line.values.reversed().enumerated() {
                let (x, y) = (width - Double(index) * step, bottom - (bottom - top) * min(1, value / plot.top))
                index == 0 ? cairo_move_to(cairo, x, y) : cairo_line_to(cairo, x, y)
            }
            cairo_set_source_rgb(cairo, color.0, color.1, color.2)
            cairo_set_line_width(cairo, 2)
            cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
            cairo_stroke(cairo)
        }
    }
}
