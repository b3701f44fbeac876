import CGTK
import Calotype
import ImageTargetsGTK
import LabModel

/// A screen of the lab.
@MainActor protocol Screen: AnyObject {
    var title: String { get }
    var layout: Layout { get }
    /// Called four times a second while the screen is shown.
    func update()
    /// Arranges the screen for a narrow window, or for a wide one.
    func setNarrow(_ isNarrow: Bool)
}

/// The window: five screens, beside a list of their names or, in a narrow window, under a drop-down list of them.
@MainActor final class LabWindow {
    let window: UnsafeMutablePointer<GtkWindow>
    let layout = Layout(PackageResources.window_ui)
    let (compare, features, configuration, network, metrics):
        (ComparePage, FeaturesPage, ConfigurationPage, NetworkPage, MetricsPage)
    private let lab: Laboratory
    private var isNarrow = false
    private var timer: Task<Void, Never>?
    /// The start of the frame that is drawn, and the longest frame since the last sample.
    private var (frameStart, longestFrame) = (ContinuousClock.now, Duration.zero)

    var screens: [any Screen] { [compare, features, configuration, network, metrics] }
    private var stack: OpaquePointer { gtkCast(layout.widget("stack")) }

    init(_ lab: Laboratory, _ application: UnsafeMutablePointer<GtkApplication>) {
        self.lab = lab
        window = gtkCast(gtk_application_window_new(application))
        (compare, features, configuration) = (ComparePage(lab), FeaturesPage(lab), ConfigurationPage(lab))
        (network, metrics) = (NetworkPage(lab), MetricsPage(lab))
        addStyle()
        gtk_window_set_title(window, "Calotype Lab")
        gtk_window_set_default_size(window, 1_240, 820)
        gtk_window_set_titlebar(window, layout.widget("bar"))
        gtk_window_set_child(window, layout.widget("content"))
        addScreens()
        addActions(application)
        watchFrames()
        gtk_window_present(window)
        timer = Task { [weak self] in
            while !Task.isCancelled {
                self?.update()
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    isolated deinit { timer?.cancel() }

    private func addScreens() {
        let names = gtk_string_list_new(nil)
        for (index, screen) in screens.enumerated() {
            let scroller = gtk_scrolled_window_new()
            gtk_scrolled_window_set_policy(gtkCast(scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
            gtk_scrolled_window_set_child(gtkCast(scroller), screen.layout.widget("page"))
            gtk_widget_add_css_class(screen.layout.widget("page"), "lab-page")
            gtk_stack_add_titled(stack, scroller, "\(index)", screen.title)
            gtk_string_list_append(names, screen.title)
        }
        let list = layout.widget("screens")
        gtk_drop_down_set_model(gtkCast(list), gtkCast(names))
        Layout.setLabel("Screen", of: list)
        GTKSignals.connect(list, "notify::selected") { [weak self] in
            self?.show(Int(gtk_drop_down_get_selected(gtkCast(list))))
        }
        GTKSignals.connect(stack, "notify::visible-child") { [weak self] in
            guard let self else { return }
            gtk_drop_down_set_selected(gtkCast(list), guint(current))
            update()
        }
    }

    /// The position of the screen that is shown.
    var current: Int { gtk_stack_get_visible_child_name(stack).flatMap { Int(String(cString: $0)) } ?? 0 }

    func show(_ index: Int) {
        if screens.indices.contains(index), index != current { gtk_stack_set_visible_child_name(stack, "\(index)") }
    }

    // MARK: Actions

    private func addActions(_ application: UnsafeMutablePointer<GtkApplication>) {
        func add(_ action: OpaquePointer?, _ name: String, keys: String) {
            g_action_map_add_action(gtkCast(window), gtkCast(action))
            keys.withCString { key in
                var accelerators: [UnsafePointer<CChar>?] = [key, nil]
                gtk_application_set_accels_for_action(application, "win.\(name)", &accelerators)
            }
        }
        for index in screens.indices {
            let action: OpaquePointer = gtkCast(g_simple_action_new("screen\(index)", nil))
            GTKSignals.connect(action, "activate") { [weak self] in self?.show(index) }
            add(action, "screen\(index)", keys: "<Alt>\(index + 1)")
        }
        let quit: OpaquePointer = gtkCast(g_simple_action_new("quit", nil))
        GTKSignals.connect(quit, "activate") { [weak self] in if let self { gtk_window_close(window) } }
        add(quit, "quit", keys: "<Control>q")
        // The setting of the desktop is the first state.
        let dark: OpaquePointer = gtkCast(g_simple_action_new_stateful("dark", nil, g_variant_new_boolean(isDark ? 1 : 0)))
        GTKSignals.connect(dark, "activate") { [weak self] in
            guard let self else { return }
            isDark.toggle()
            g_simple_action_set_state(gtkCast(dark), g_variant_new_boolean(isDark ? 1 : 0))
        }
        add(dark, "dark", keys: "<Control>d")
    }

    private static let darkTheme = "gtk-application-prefer-dark-theme"

    /// Whether the dark theme is shown.
    var isDark: Bool {
        get {
            var value = GValue()
            g_value_init(&value, lab_type_boolean)
            g_object_get_property(gtkCast(gtk_settings_get_default()), LabWindow.darkTheme, &value)
            return g_value_get_boolean(&value) != 0
        }
        set {
            var value = GValue()
            g_value_init(&value, lab_type_boolean)
            g_value_set_boolean(&value, newValue ? 1 : 0)
            g_object_set_property(gtkCast(gtk_settings_get_default()), LabWindow.darkTheme, &value)
        }
    }

    // MARK: Frames

    /// The width below which the window is narrow, in the application's pixels.
    private static let narrowWidth = 800.0

    private func watchFrames() {
        gtk_widget_realize(gtkCast(window))
        GTKSignals.connect(gtk_native_get_surface(gtkCast(window)), "layout") { [weak self] arguments in
            self?.setNarrow(arguments.number(0) < LabWindow.narrowWidth)
            return false
        }
        let clock = gtk_widget_get_frame_clock(gtkCast(window))
        GTKSignals.connect(clock, "before-paint") { [weak self] in self?.frameStart = .now }
        GTKSignals.connect(clock, "after-paint", runsAfter: true) { [weak self] in
            guard let self else { return }
            longestFrame = max(longestFrame, .now - frameStart)
        }
    }

    private func setNarrow(_ isNarrow: Bool) {
        guard isNarrow != self.isNarrow else { return }
        self.isNarrow = isNarrow
        gtk_widget_set_visible(layout.widget("sidebar"), isNarrow ? 0 : 1)
        gtk_widget_set_visible(layout.widget("screens"), isNarrow ? 1 : 0)
        for screen in screens { screen.setNarrow(isNarrow) }
    }

    private func update() {
        metrics.sample(frame: longestFrame)
        longestFrame = .zero
        screens[current].update()
    }

    private func addStyle() {
        let style = """
            .lab-page { padding: 18px; }
            .lab-card { padding: 14px; border-radius: 10px; border: 1px solid alpha(currentColor, 0.14);
                background-color: alpha(currentColor, 0.035); }
            .heading { font-weight: bold; }
            .dim-label { opacity: 0.72; }
            .numeric { font-feature-settings: "tnum"; }
            .small { font-size: smaller; }
            .mono { font-family: monospace; font-size: 8pt; }
            .counter { font-size: 42pt; font-weight: bold; }
            .problem { padding: 8px 12px; border-radius: 8px; color: white; background-color: rgb(170, 35, 35); }
            .expected { color: mix(rgb(30, 140, 60), @theme_fg_color, 0.3); }
            .unexpected { color: mix(rgb(215, 35, 35), @theme_fg_color, 0.3); }
            .timeline, .timeline row { background: none; }
            .timeline row { padding: 2px 0; }
            .source { padding: 1px 8px; border-radius: 6px; color: white; font-size: smaller; min-width: 52px; }
            .lab { background-color: rgb(90, 90, 100); } .network { background-color: rgb(160, 82, 20); }
            .server { background-color: rgb(110, 60, 160); } .loader { background-color: rgb(30, 90, 180); }
            .origin { padding: 1px 8px; border-radius: 6px; font-size: smaller; color: white; }
            .origin.global { background-color: rgb(30, 120, 70); } .origin.request { background-color: rgb(30, 90, 180); }
            .origin.runtime { background-color: rgb(160, 60, 130); }
            """
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, style, -1)
        gtk_style_context_add_provider_for_display(gdk_display_get_default(), gtkCast(provider), 600)
        g_object_unref(provider.map { UnsafeMutableRawPointer($0) })
    }
}
