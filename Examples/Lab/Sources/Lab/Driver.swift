import CGTK
import Calotype
import Foundation
import ImageTargetsGTK
import LabModel

/// Uses the lab without a user: presses every button on every screen, checks what follows, and writes images of the
/// window.
@MainActor final class Driver {
    private let window: LabWindow
    private let lab: Laboratory
    /// Where images are written; `nil` for none.
    private var folder: URL?
    private var (density, variant) = ("", "")
    private var failures = 0
    private var pressed: Set<Widget> = []
    private var written = 0

    init(_ window: LabWindow, _ lab: Laboratory) { (self.window, self.lab) = (window, lab) }

    /// Returns whether every expected state was reached.
    func run(_ drive: Drive) async -> Bool {
        switch drive {
        case .screens(let folder):
            self.folder = folder
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                fail("The folder \(folder.path) cannot be made: \(error)")
                return false
            }
            if gtk_widget_get_scale_factor(gtkCast(window.window)) > 1 {
                // A display of high density: sizes and sharpness are the same in the other variants.
                density = "dense-"
                await visitAll(isDark: false, isNarrow: false)
            } else {
                await pressKeys()
                for isDark in [false, true] {
                    for isNarrow in [false, true] { await visitAll(isDark: isDark, isNarrow: isNarrow) }
                }
            }
            print("\(written) images in \(folder.path)")
        case .soak(let minutes): await soak(minutes)
        }
        print(failures == 0 ? "Every expected state was reached." : "\(failures) expected states were not reached.")
        return failures == 0
    }

    /// The most by which the memory of the process may grow between the second round and the last, in bytes.
    private static let maximumGrowth = 24_000_000

    private func soak(_ minutes: Double) async {
        let end = ContinuousClock.now + .seconds(minutes * 60)
        var (round, first) = (0, 0)
        repeat {
            await visitAll(isDark: round % 2 == 1, isNarrow: round % 4 > 1)
            round += 1
            let memory = Samples.residentMemory
            // Fonts, icons and pools are filled in the first rounds.
            if round <= 4 { first = memory }
            print("round \(round): \(Format.bytes(memory))")
            expect("memory stays flat", memory < first + Driver.maximumGrowth)
        } while ContinuousClock.now < end
    }

    private func visitAll(isDark: Bool, isNarrow: Bool) async {
        variant = density + "\(isDark ? "dark" : "light")-\(isNarrow ? "narrow" : "wide")"
        if window.isDark != isDark { await press(window.layout.widget("dark")) }
        // Twice, since the window can become narrow only in the layout for narrow windows.
        for _ in 0..<2 {
            gtk_window_set_default_size(window.window, isNarrow ? 460 : 1_240, 820)
            await pause()
        }
        await wait("the theme and the size") {
            self.window.isDark == isDark && (gtk_widget_get_width(gtkCast(self.window.window)) < 800) == isNarrow
        }
        pressed = []
        await visitFrameworks()
        await visitFeatures()
        await visitConfiguration()
        await visitNetwork()
        await visitMetrics()
        for screen in window.screens {
            for button in buttons(in: screen.layout.widget("page")) where !pressed.contains(button) {
                fail("A button of the screen \(screen.title) was not pressed.")
            }
        }
    }

    // MARK: Screens

    private func visitFrameworks() async {
        let page = window.compare
        await show(page)
        for (index, kind) in Comparison.Case.allCases.enumerated() {
            gtk_drop_down_set_selected(gtkCast(page.choice), guint(index))
            await press(page.layout.widget("load"))
            await wait("all figures of \(kind.rawValue)") { page.figures.count == 5 && !page.isRunning }
            let figures = page.figures
            switch kind {
            case .cold: expect("a cold load comes from the network", figures[.view]?.tier == .network)
            case .warm: expect("a warm load comes from memory", figures[.view]?.tier == .memory)
            case .progressive: expect("the terminal has a preview", figures[.terminal]?.preview != nil)
            case .animated: expect("the animation is shown", figures[.view]?.image != nil)
            case .broken: expect("the broken file fails", figures[.view]?.failure != nil && figures[.terminal]?.failure != nil)
            }
            await save("frameworks-\(index + 1)")
        }
    }

    private func visitFeatures() async {
        let page = window.features
        await show(page)
        await press(page.layout.widget("start-list"))
        await wait("the list") { page.arrived.count == PriorityList.count }
        expect("images arrive by purpose", PriorityList.isByPurpose(page.arrived))
        await press(page.layout.widget("start-progressive"))
        await wait("a preview") { page.previews > 0 }
        await save("features-1-preview")
        await wait("the slow image") { page.isProgressiveLoaded }
        func load(_ tier: CacheTier, after buttons: String...) async {
            for button in buttons { await press(page.layout.widget(button)) }
            await press(page.layout.widget("load-tier"))
            await wait("the image from \(tier.rawValue)") { page.tier == tier }
        }
        await load(.network, after: "clear-memory", "clear-disk")
        await load(.memory)
        await save("features-2-memory")
        await load(.disk, after: "clear-memory")
        await load(.disk, after: "restart")
        await press(page.layout.widget("coalesce"))
        await wait("one fetch") { page.fetches == 1 }
        await save("features-3-disk")
    }

    private func visitConfiguration() async {
        let page = window.configuration
        await show(page)
        await wait("the image") { page.isLoaded }
        await save("configuration-1")
        gtk_drop_down_set_selected(gtkCast(page.presets[2]), 1)
        page.type("5", into: "timeout", layer: 0)
        page.type("120×80", into: "targetSize", layer: 1)
        await wait("the image with other options") { page.isLoaded && page.problem == nil }
        await save("configuration-2-layers")
        page.type("-1", into: "retries", layer: 0)
        expect("an invalid value is named", page.problem?.contains("retries = -1") == true)
        await save("configuration-3-invalid")
        page.type("often", into: "retries", layer: 0)
        expect("a text that is no value is named", page.problem?.contains("often") == true)
        for layer in 0..<3 {
            for preset: guint in [2, 0] { gtk_drop_down_set_selected(gtkCast(page.presets[layer]), preset) }
        }
        await wait("the defaults") { page.isLoaded && page.problem == nil && page.layers.all.allSatisfy(\.isEmpty) }
    }

    private func visitNetwork() async {
        let page = window.network
        await show(page)
        for (scenario, button) in zip(Scenario.all, buttons(in: page.layout.widget("scenarios"))) {
            await press(button)
            await wait("the end of “\(scenario.title)”") { page.running == nil && page.results[scenario.id] != nil }
            expect("“\(scenario.title)” is as expected", page.results[scenario.id] == true)
            await save("network-\(scenario.id)")
        }
    }

    private func visitMetrics() async {
        let page = window.metrics
        await show(page)
        await press(page.layout.widget("trace"))
        await press(page.layout.widget("burst"))
        await wait("the end of the burst") { !self.lab.isBurstRunning }
        await press(page.layout.widget("trace"))
        await wait("the end of the trace") { !page.isTracing }
        await save("metrics")
        guard let file = page.traceFile else { return fail("There is no trace.") }
        let trace = (try? Data(contentsOf: file)).flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [Any]
        expect("the trace has events", (trace?.count ?? 0) > 100)
        try? FileManager.default.removeItem(at: file)
    }

    // MARK: Input

    /// Presses the shortcuts by the X server, where xdotool is installed.
    private func pressKeys() async {
        func press(_ key: String) -> Bool {
            let xdotool = Process()
            xdotool.executableURL = URL(filePath: "/usr/bin/env")
            xdotool.arguments = ["xdotool", "key", key]
            guard (try? xdotool.run()) != nil else { return false }
            xdotool.waitUntilExit()
            return xdotool.terminationStatus == 0
        }
        await pause()
        for index in [3, 1, 4, 2, 0] {
            guard press("alt+\(index + 1)") else { return print("The shortcuts were not tried: xdotool is missing.") }
            await wait("screen \(index + 1) by its key") { self.window.current == index }
        }
        let isDark = window.isDark
        _ = press("ctrl+d")
        await wait("the other theme by its key") { self.window.isDark != isDark }
        _ = press("ctrl+d")
        await wait("the first theme by its key") { self.window.isDark == isDark }
    }

    private func show(_ page: any Screen) async {
        window.show(window.screens.firstIndex { $0 === page } ?? 0)
        await pause()
    }

    private func press(_ button: Widget) async {
        pressed.insert(button)
        guard gtk_widget_get_mapped(button) != 0, gtk_widget_is_sensitive(button) != 0 else {
            return fail("A button cannot be pressed.")
        }
        gtk_widget_activate(button)
        await pause()
    }

    /// The time in which GTK shows a pressed button, changes a screen or paints.
    private func pause() async { try? await Task.sleep(for: .milliseconds(350)) }

    /// The buttons in a widget, without those that are part of a list of choices.
    private func buttons(in widget: Widget) -> [Widget] {
        if String(cString: gtk_widget_get_css_name(widget)) == "dropdown" { return [] }
        if String(cString: gtk_widget_get_css_name(widget)) == "button" { return [widget] }
        var (found, child): ([Widget], Widget?) = ([], gtk_widget_get_first_child(widget))
        while let each = child {
            found += buttons(in: each)
            child = gtk_widget_get_next_sibling(each)
        }
        return found
    }

    // MARK: Results

    private func wait(_ name: String, _ condition: @escaping @MainActor () -> Bool) async {
        let end = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < end else { return fail("Not reached: \(name).") }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    private func expect(_ name: String, _ condition: Bool) { if !condition { fail("Not so: \(name).") } }

    private func fail(_ text: String) {
        failures += 1
        print("FAILED \(variant): \(text)")
    }

    /// Writes an image of the window.
    private func save(_ name: String) async {
        guard let folder else { return }
        await pause()
        // A widget has no drawing between a change and the next frame.
        let widget: Widget = gtkCast(window.window)
        await withCheckedContinuation { continuation in
            var painted: GTKSignalHandler?
            painted = GTKSignals.connect(gtk_widget_get_frame_clock(widget), "after-paint", runsAfter: true) {
                painted?.disconnect()
                painted = nil
                self.write(widget, folder.appending(path: "\(self.variant)-\(name).png").path)
                continuation.resume()
            }
            gtk_widget_queue_draw(widget)
        }
    }

    private func write(_ widget: Widget, _ file: String) {
        let size = (Double(gtk_widget_get_width(widget)), Double(gtk_widget_get_height(widget)))
        let scale = Float(gtk_widget_get_scale_factor(widget))
        let paintable: OpaquePointer = gtkCast(gtk_widget_paintable_new(widget))
        defer { g_object_unref(gtkCast(paintable)) }
        let snapshot = gtk_snapshot_new()
        gtk_snapshot_scale(snapshot, scale, scale)
        gdk_paintable_snapshot(paintable, snapshot, size.0, size.1)
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return fail("\(file) would be empty.") }
        defer { gsk_render_node_unref(node) }
        let texture = gsk_renderer_render_texture(gtk_native_get_renderer(gtkCast(widget)), node, nil)
        defer { g_object_unref(gtkCast(texture)) }
        if gdk_texture_save_to_png(texture, file) == 0 { return fail("\(file) cannot be written.") }
        written += 1
    }
}
