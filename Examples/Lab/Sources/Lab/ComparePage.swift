import CGTK
import Calotype
import Foundation
import ImageTargetsGTK
import LabModel

/// The same image, loaded by Calotype in three ways, by GTK's loader and by gdk-pixbuf.
@MainActor final class ComparePage: Screen {
    let title = "Frameworks"
    let layout = Layout(PackageResources.compare_ui)
    private(set) var kind = Comparison.Case.cold
    private(set) var isRunning = false
    private(set) var figures: [Comparison.Subject: Comparison.Figures] = [:]
    let choice: Widget

    private let lab: Laboratory
    private let view = GTKImageView(contentMode: .fit)
    private let terminal = TerminalView(width: 216, height: 144)
    private let bytes = Make.label("", "mono")
    private let (texture, pixbuf): (Widget, Widget) = (gtkCast(gtk_picture_new()), gtkCast(gtk_picture_new()))
    private var cards: [Comparison.Subject: (values: [Widget], failure: Widget)] = [:]
    private var select: (Int) -> Void = { _ in }

    init(_ lab: Laboratory) {
        self.lab = lab
        weak var page: ComparePage?
        choice = Make.choice(Comparison.Case.allCases.map(\.rawValue)) { page?.kind = Comparison.Case.allCases[$0] }
        page = self
        gtk_box_prepend(gtkCast(layout.widget("controls")), choice)
        Layout.setLabel("Image", of: choice)
        let contents: [Comparison.Subject: Widget] = [
            .view: gtkCast(view.widget), .terminal: terminal.widget, .bytes: bytes, .texture: ComparePage.frame(texture),
            .pixbuf: ComparePage.frame(pixbuf),
        ]
        for subject in Comparison.Subject.allCases { addCard(subject, contents[subject]!) }
        layout.onClick("load") { [weak self] in self?.load() }
    }

    /// A widget of a fixed size around one that asks for the size of its image.
    private static func frame(_ content: Widget) -> Widget {
        let overlay: Widget = gtkCast(gtk_overlay_new())
        gtk_overlay_add_overlay(gtkCast(overlay), content)
        return overlay
    }

    private func addCard(_ subject: Comparison.Subject, _ content: Widget) {
        gtk_widget_set_size_request(content, 216, 144)
        gtk_widget_set_halign(content, GTK_ALIGN_CENTER)
        gtk_widget_set_overflow(content, GTK_OVERFLOW_HIDDEN)
        Layout.setLabel("Image by \(subject.rawValue)", of: content)
        let grid: Widget = gtkCast(gtk_grid_new())
        gtk_grid_set_column_spacing(gtkCast(grid), 12)
        let values = Comparison.Figures().rows.enumerated().map { index, row in
            let (name, value) = (Make.label(row.name, "dim-label"), Make.label(row.value, "numeric"))
            gtk_widget_set_hexpand(value, 1)
            gtk_label_set_xalign(gtkCast(value), 1)
            gtk_grid_attach(gtkCast(grid), name, 0, Int32(index), 1, 1)
            gtk_grid_attach(gtkCast(grid), value, 1, Int32(index), 1, 1)
            return value
        }
        let failure = Make.label("", "unexpected", "small", wraps: true)
        gtk_label_set_max_width_chars(gtkCast(failure), 28)
        gtk_widget_set_visible(failure, 0)
        cards[subject] = (values, failure)
        let parts = [Make.label(subject.rawValue, "heading"), content, grid, failure]
        gtk_flow_box_insert(
            gtkCast(layout.widget("cards")), Make.box(GTK_ORIENTATION_VERTICAL, spacing: 10, parts, "lab-card"), -1)
    }

    func update() {}
    func setNarrow(_ isNarrow: Bool) {}

    // MARK: Loading

    private func load() {
        guard !isRunning else { return }
        isRunning = true
        figures = [:]
        gtk_spinner_start(gtkCast(layout.widget("spinner")))
        Task {
            for subject in Comparison.Subject.allCases {
                show(await measure(subject), of: subject)
            }
            gtk_spinner_stop(gtkCast(layout.widget("spinner")))
            isRunning = false
        }
    }

    private func show(_ result: Comparison.Figures, of subject: Comparison.Subject) {
        figures[subject] = result
        guard let card = cards[subject] else { return }
        for (label, row) in zip(card.values, result.rows) { gtk_label_set_text(gtkCast(label), row.value) }
        gtk_label_set_text(gtkCast(card.failure), result.failure ?? "")
        gtk_widget_set_visible(card.failure, result.failure == nil ? 0 : 1)
    }

    private func measure(_ subject: Comparison.Subject) async -> Comparison.Figures {
        do {
            try await lab.clearMemory()
            try await lab.clearDisk()
        } catch {
            var figures = Comparison.Figures()
            figures.failure = Format.sentence(error)
            return figures
        }
        // The first load fills the caches.
        if kind == .warm { _ = await loadOnce(subject) }
        return await loadOnce(subject)
    }

    private func loadOnce(_ subject: Comparison.Subject) async -> Comparison.Figures {
        switch subject {
        case .view: return await loadInView()
        case .terminal:
            terminal.show(TerminalScreen([]))
            return await Comparison.drawInTerminal(lab, kind) { terminal.show($0) }
        case .bytes:
            let (figures, data) = await Comparison.loadBytes(lab, kind)
            let lines = stride(from: 0, to: min(data.count, 88), by: 8).map { start in
                data[data.startIndex + start..<data.startIndex + min(data.count, start + 8)]
                    .map { String(format: "%02x", $0) }.joined(separator: " ")
            }
            gtk_label_set_text(gtkCast(bytes), lines.joined(separator: "\n"))
            return figures
        case .texture: return await loadByGTK()
        case .pixbuf: return await loadByPixbuf()
        }
    }

    private func loadInView() async -> Comparison.Figures {
        let target = view.makeTarget(loader: lab.loader)
        view.clear()
        var request = ImageRequest(url: lab.server.url(kind.path))
        request.options.previews = .incremental
        request.options.offScreenPolicy = .keepsPriority
        request.options.accessibilityLabel = "The landscape, loaded by Calotype"
        var figures = Comparison.Figures()
        let start = ContinuousClock.now
        // A preview counts when it was painted.
        let paint = GTKSignals.connect(gtk_widget_get_frame_clock(gtkCast(view.widget)), "after-paint", runsAfter: true) {
            [weak self] in
            guard figures.preview == nil, figures.image == nil, self?.view.isBlank == false else { return }
            figures.preview = ContinuousClock.now - start
        }
        let result = await withCheckedContinuation { continuation in
            target.setImage(request) { result in
                figures.image = ContinuousClock.now - start
                continuation.resume(returning: result)
            }
        }
        paint.disconnect()
        switch result {
        case .success(let response):
            (figures.memory, figures.tier) = (response.image.cost, response.tier)
            if response.tier != .memory { figures.bytes = response.metrics.byteCount }
        case .failure(let error): (figures.failure, figures.image) = (Format.sentence(error), nil)
        }
        return figures
    }

    /// GTK's own loader decodes a whole file at once.
    private func loadByGTK() async -> Comparison.Figures {
        gtk_picture_set_paintable(gtkCast(texture), nil)
        var (figures, body) = (Comparison.Figures(), Data())
        let start = ContinuousClock.now
        do {
            figures.bytes = try await Comparison.fetch(lab.server.url(kind.path)) { body += $0 }
            let bytes = body.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
            defer { g_bytes_unref(bytes) }
            var error: UnsafeMutablePointer<GError>?
            guard let image = gdk_texture_new_from_bytes(bytes, &error) else { throw GTKFailure(&error) }
            figures.image = ContinuousClock.now - start
            figures.memory = Int(gdk_texture_get_width(image)) * Int(gdk_texture_get_height(image)) * 4
            gtk_picture_set_paintable(gtkCast(texture), image)
            g_object_unref(gtkCast(image))
        } catch {
            figures.failure = Format.sentence(error)
        }
        return figures
    }

    /// gdk-pixbuf decodes the bytes as they arrive.
    private func loadByPixbuf() async -> Comparison.Figures {
        gtk_picture_set_paintable(gtkCast(pixbuf), nil)
        var figures = Comparison.Figures()
        let start = ContinuousClock.now
        let loader = gdk_pixbuf_loader_new()
        defer { g_object_unref(gtkCast(loader)) }
        func show() {
            guard let image = gdk_pixbuf_loader_get_pixbuf(loader) else { return }
            let shown = gdk_texture_new_for_pixbuf(image)
            gtk_picture_set_paintable(gtkCast(pixbuf), shown)
            g_object_unref(gtkCast(shown))
            figures.memory = Int(gdk_pixbuf_get_byte_length(image))
        }
        GTKSignals.connect(loader, "area-updated") { figures.preview = figures.preview ?? ContinuousClock.now - start }
        var error: UnsafeMutablePointer<GError>?
        do {
            figures.bytes = try await Comparison.fetch(lab.server.url(kind.path)) { chunk in
                let isDecoded = chunk.withUnsafeBytes {
                    gdk_pixbuf_loader_write(loader, $0.baseAddress?.assumingMemoryBound(to: guchar.self), gsize($0.count), &error)
                }
                if isDecoded == 0 { throw GTKFailure(&error) }
                show()
            }
            guard gdk_pixbuf_loader_close(loader, &error) != 0 else { throw GTKFailure(&error) }
            show()
            figures.image = ContinuousClock.now - start
        } catch {
            // A loader must be closed before its end.
            gdk_pixbuf_loader_close(loader, nil)
            figures.failure = Format.sentence(error)
        }
        return figures
    }
}

/// An error of GLib.
struct GTKFailure: Error, CustomStringConvertible {
    let description: String

    /// Takes the message, and frees the error.
    init(_ error: inout UnsafeMutablePointer<GError>?) {
        description = error.map { String(cString: $0.pointee.message) } ?? "There is no error message."
        if let error { g_error_free(error) }
        error = nil
    }
}
