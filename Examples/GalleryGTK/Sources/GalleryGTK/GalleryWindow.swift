import CGTK
import Calotype
import ImageTargetsGTK

/// The window: a grid or a list of thumbnails, and a page for one image.
@MainActor final class GalleryWindow {
    private let images: ImageFiles
    private let loader: ImageLoader
    private let list: GTKImageList
    private let page: ImagePage
    private let trace: Trace?
    private let window: UnsafeMutablePointer<GtkWindow>
    private let stack: OpaquePointer
    private let (back, layout): (UnsafeMutablePointer<GtkWidget>, UnsafeMutablePointer<GtkWidget>)
    /// The position of the image on the page; `nil` while the thumbnails are shown.
    private var position: Int?

    init(_ images: ImageFiles, _ application: UnsafeMutablePointer<GtkApplication>, isTraced: Bool) {
        self.images = images
        let loader = ImageLoader.standard { $0.memoryCache = MemoryCache(limits: .init(maximumBytes: 200_000_000)) }
        self.loader = loader
        list = GTKImageList(loader: loader, cellSize: GalleryWindow.cellSize) { index in
            GalleryWindow.thumbnail(images.urls[index], images.name(of: index))
        }
        page = ImagePage(loader: loader)
        trace = isTraced ? Trace() : nil
        window = gtkCast(gtk_application_window_new(application))
        stack = OpaquePointer(gtk_stack_new())
        back = gtk_button_new_from_icon_name("go-previous-symbolic")
        layout = gtk_button_new_from_icon_name("view-list-symbolic")
        arrange()
        list.onActivate = { [weak self] in self?.show($0) }
        page.onTitle = { [weak self] in self?.setTitle($0) }
        list.count = images.urls.count
        gtk_window_present(window)
        if let first = images.first { show(first) } else { showList() }
        watchTrace()
    }

    private func arrange() {
        gtk_window_set_default_size(window, 1_100, 780)
        gtk_widget_set_tooltip_text(back, "Back to the thumbnails (Escape)")
        gtk_widget_set_tooltip_text(layout, "List or grid (L)")
        // A click leaves the keyboard focus where it is.
        gtk_widget_set_focus_on_click(layout, 0)
        let bar = gtk_header_bar_new()
        gtk_header_bar_pack_start(gtkCast(bar), back)
        gtk_header_bar_pack_end(gtkCast(bar), layout)
        gtk_window_set_titlebar(window, bar)
        gtk_stack_add_named(stack, gtkCast(list.widget), "list")
        gtk_stack_add_named(stack, page.widget, "image")
        gtk_window_set_child(window, gtkCast(stack))
        GTKSignals.connect(back, "clicked") { [weak self] in self?.showList() }
        GTKSignals.connect(layout, "clicked") { [weak self] in self?.switchLayout() }

        let keys = gtk_event_controller_key_new()
        gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
        GTKSignals.connect(keys, "key-pressed") { [weak self] arguments in
            self?.press(Int32(arguments.number(0)), GdkModifierType(rawValue: UInt32(arguments.number(2)))) ?? false
        }
        gtk_widget_add_controller(gtkCast(window), keys)
        // The button of a mouse that goes back.
        let click = gtk_gesture_click_new()
        gtk_gesture_single_set_button(click, 8)
        GTKSignals.connect(click, "pressed") { [weak self] in self?.showList() }
        gtk_widget_add_controller(gtkCast(window), click)
    }

    private static let cellSize = PixelSize(width: 128, height: 128)

    /// The request of a cell, which gets the size of the cell.
    private static func thumbnail(_ url: URL, _ name: String) -> ImageRequest {
        var request = ImageRequest(url: url)
        request.options.placeholder = .color(red: 0.5, green: 0.5, blue: 0.5, alpha: 0.2)
        request.options.transition = .fade(.milliseconds(200))
        request.options.offScreenPolicy = .cancels
        request.options.accessibilityLabel = name
        return request
    }

    // MARK: Pages

    private func show(_ index: Int) {
        guard images.urls.indices.contains(index) else { return }
        position = index
        gtk_stack_set_visible_child_name(stack, "image")
        let urls = images.urls
        let scale = Int(gtk_widget_get_scale_factor(gtkCast(window)))
        let side = PixelSize(width: GalleryWindow.cellSize.width * scale, height: GalleryWindow.cellSize.height * scale)
        let thumbnail = loader.cachedImage(for: ImageRequest(url: urls[index], size: side, contentMode: .fill))
        page.show(urls[index], images.name(of: index), thumbnail: thumbnail)
        page.prefetch([index + 1, index - 1].filter { urls.indices.contains($0) }.map { urls[$0] })
        gtk_widget_set_visible(back, 1)
        gtk_widget_set_visible(layout, 0)
    }

    private func showList() {
        gtk_window_unfullscreen(window)
        page.clear()
        gtk_stack_set_visible_child_name(stack, "list")
        gtk_widget_set_visible(back, 0)
        gtk_widget_set_visible(layout, 1)
        // The image that was shown last.
        if let position { list.selected = position }
        position = nil
        setTitle("\(images.urls.count) images")
        list.focus()
    }

    private func switchLayout() {
        guard position == nil else { return }
        if case .grid = list.layout {
            list.layout = .rows { [images] in "\($0 + 1)   \(images.name(of: $0))" }
            gtk_button_set_icon_name(gtkCast(layout), "view-grid-symbolic")
        } else {
            list.layout = .grid
            gtk_button_set_icon_name(gtkCast(layout), "view-list-symbolic")
        }
    }

    private func setTitle(_ text: String) {
        let number = position.map { " – \($0 + 1) of \(images.urls.count)" } ?? ""
        gtk_window_set_title(window, text + number)
    }

    // MARK: Keys

    private func press(_ key: Int32, _ modifiers: GdkModifierType) -> Bool {
        let others = modifiers.rawValue & (GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue | GDK_META_MASK.rawValue)
        if modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0 {
            guard others == 0, key == GDK_KEY_q || key == GDK_KEY_w else { return false }
            gtk_window_close(window)
            return true
        }
        if key == GDK_KEY_Left, others == GDK_ALT_MASK.rawValue { return goBack() }
        guard others == 0 else { return false }
        switch key {
        case GDK_KEY_F11: gtk_window_is_fullscreen(window) != 0 ? gtk_window_unfullscreen(window) : gtk_window_fullscreen(window)
        case GDK_KEY_Escape where gtk_window_is_fullscreen(window) != 0: gtk_window_unfullscreen(window)
        case GDK_KEY_Escape: return goBack()
        case GDK_KEY_l where position == nil: switchLayout()
        default: return position.map { pressOnPage(key, $0) } ?? false
        }
        return true
    }

    private func goBack() -> Bool {
        guard position != nil else { return false }
        showList()
        return true
    }

    private func pressOnPage(_ key: Int32, _ position: Int) -> Bool {
        switch key {
        case GDK_KEY_Left, GDK_KEY_Right, GDK_KEY_Up, GDK_KEY_Down:
            if page.pan(key) { return true }
            guard key == GDK_KEY_Left || key == GDK_KEY_Right else { return false }
            show(position + (key == GDK_KEY_Left ? -1 : 1))
        case GDK_KEY_Page_Down: show(position + 1)
        case GDK_KEY_Page_Up, GDK_KEY_BackSpace: show(position - 1)
        // On the button that tries again, it presses the button.
        case GDK_KEY_space where !page.hasFailed: show(position + 1)
        case GDK_KEY_Home: show(0)
        case GDK_KEY_End: show(images.urls.count - 1)
        case GDK_KEY_plus, GDK_KEY_KP_Add, GDK_KEY_equal: page.zoom(by: 1.25)
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: page.zoom(by: 0.8)
        case GDK_KEY_0, GDK_KEY_KP_0: page.fit()
        case GDK_KEY_1, GDK_KEY_KP_1: page.showPixels()
        default: return false
        }
        return true
    }

    /// Writes a line after each frame in which something has changed.
    private func watchTrace() {
        guard let trace else { return }
        GTKSignals.connect(gtk_widget_get_frame_clock(gtkCast(window)), "after-paint") { [weak self] in
            guard let self else { return }
            let isGrid = if case .grid = list.layout { true } else { false }
            let bounds = (
                page: position == nil ? list.widget : page.widget.gtkAddress, back: back.gtkAddress, layout: layout.gtkAddress
            )
            trace.write(
                [
                    ("page", position != nil ? "image" : isGrid ? "grid" : "list"), ("image", position.map { "\($0)" } ?? ""),
                    ("count", "\(list.count)"), ("loaded", "\(page.isLoaded)"), ("zoom", "\(page.width)"),
                    ("moved", "\(Int(page.offset.left)),\(Int(page.offset.top))"),
                    ("fullscreen", "\(gtk_window_is_fullscreen(window) != 0)"), ("loads", "\(loader.activity.loads)"),
                    ("failed", "\(page.hasFailed)"),
                ], list, isListShown: position == nil, window: gtkCast(window), bounds)
        }
    }
}
