import CGTK
import Calotype
import ImageTargetsGTK

/// A page with one image on a dark backdrop, which can be zoomed and moved.
@MainActor final class ImagePage {
    /// The `GtkScrolledWindow` of the page.
    let widget: UnsafeMutablePointer<GtkWidget>
    /// Called with the name and the size of the image.
    var onTitle: ((String) -> Void)?

    private let loader: ImageLoader
    private let view = GTKImageView(contentMode: .fit)
    private let target: ImageTarget<GTKImageView>
    private let prefetcher: ImagePrefetcher
    private var request: ImageRequest?
    /// The size of the file's image in pixels, once its header has been read.
    private var fullSize: PixelSize?
    private var header: Task<Void, Never>?
    /// The number of the application's pixels per pixel of the image; `nil` fits the image into the window.
    private var scale: Double?
    /// The point of the image that keeps its place when the image is zoomed: as a part of the image, and in the window.
    private var anchor: (x: Double, y: Double, left: Double, top: Double)?
    private var start = (scale: 1.0, left: 0.0, top: 0.0)

    init(loader: ImageLoader) {
        self.loader = loader
        widget = gtk_scrolled_window_new()
        target = view.makeTarget(loader: loader)
        prefetcher = ImagePrefetcher(loader: loader)
        gtk_scrolled_window_set_child(gtkCast(widget), gtkCast(view.widget))
        gtk_widget_add_css_class(widget, "gallery-image")
        let style = gtk_css_provider_new()
        gtk_css_provider_load_from_data(style, ".gallery-image { background: #1c1c1c; color: white; }", -1)
        gtk_style_context_add_provider_for_display(gdk_display_get_default(), gtkCast(style), 600)
        view.onRetry = { [weak self] in self?.load() }
        watchPointer()
    }

    var isLoaded: Bool { !view.isLoading && !view.isBlank && !view.hasFailed }
    var hasFailed: Bool { view.hasFailed }
    /// The width of the image view, in the application's pixels.
    var width: Int { view.size.width }

    /// How far an image that is larger than the window is moved, in the application's pixels.
    var offset: (left: Double, top: Double) { (adjustments.x.value, adjustments.y.value) }

    /// Shows an image: its thumbnail at once, previews while it loads, and then all of it.
    func show(_ url: URL, _ name: String, thumbnail: DecodedImage?) {
        fit()
        fullSize = nil
        var request = ImageRequest(url: url)
        request.options.previews = .incremental
        request.options.accessibilityLabel = name
        if let thumbnail { request.options.placeholder = .image(thumbnail) }
        self.request = request
        onTitle?(name)
        load()
        header?.cancel()
        header = Task { [weak self, loader] in
            guard let info = try? await loader.info(for: request), !Task.isCancelled else { return }
            self?.fullSize = info.size
            self?.onTitle?("\(name) – \(info.size.width) × \(info.size.height)")
        }
    }

    /// The grid has loaded the same file, which is read from the cache. The exception is a response of a server that
    /// says neither how long it is fresh nor how to confirm it: as HTTP asks, it is fetched again.
    private func load() {
        guard let request else { return }
        // The thumbnail shows the middle of the image, in the size that it will have.
        view.enlargesImages = true
        target.setImage(request) { [weak self] _ in
            guard let self else { return }
            view.enlargesImages = scale != nil
        }
    }

    /// Loads images of which one is probably shown next.
    func prefetch(_ urls: [URL]) {
        prefetcher.stopAll()
        guard view.size.width > 0 else { return }
        prefetcher.start(urls, size: view.devicePixels(view.size))
    }

    func clear() {
        fit()
        header?.cancel()
        prefetcher.stopAll()
        target.clear()
    }

    // MARK: Zoom

    /// Fits the image into the window.
    func fit() {
        scale = nil
        gtk_widget_set_size_request(gtkCast(view.widget), -1, -1)
        if isLoaded { view.enlargesImages = false }
    }

    /// Shows the pixels of the image as they are.
    func showPixels() { setScale(1) }

    /// Enlarges or reduces the image around a point of the window; by default, around its middle.
    func zoom(by factor: Double, at point: (left: Double, top: Double)? = nil) { setScale(currentScale * factor, at: point) }

    private var currentScale: Double {
        guard scale == nil, let fullSize else { return scale ?? 1 }
        let window = windowSize
        return min(1, window.width / Double(fullSize.width), window.height / Double(fullSize.height))
    }

    private var windowSize: (width: Double, height: Double) {
        (Double(gtk_widget_get_width(widget)), Double(gtk_widget_get_height(widget)))
    }

    private func setScale(_ value: Double, at point: (left: Double, top: Double)? = nil) {
        guard let fullSize, isLoaded else { return }
        let window = windowSize
        let (left, top) = point ?? (window.width / 2, window.height / 2)
        anchor = (
            (adjustments.x.value + left) / max(1, adjustments.x.upper), (adjustments.y.value + top) / max(1, adjustments.y.upper),
            left, top
        )
        let value = max(0.02, min(value, 16))
        scale = value
        view.enlargesImages = true
        // In a smaller size than the window's, the view would fill the window.
        let (width, height) = (Double(fullSize.width) * value, Double(fullSize.height) * value)
        if width < window.width, height < window.height, value < 1 { return fit() }
        gtk_widget_set_size_request(gtkCast(view.widget), Int32(width), Int32(height))
    }

    // MARK: The pointer

    private var adjustments: (x: Adjustment, y: Adjustment) {
        (
            Adjustment(gtk_scrolled_window_get_hadjustment(gtkCast(widget))),
            Adjustment(gtk_scrolled_window_get_vadjustment(gtkCast(widget)))
        )
    }

    /// Moves an image that is larger than the window by an arrow key. Returns whether it is.
    func pan(_ key: Int32) -> Bool {
        let isHorizontal = key == GDK_KEY_Left || key == GDK_KEY_Right
        let adjustment = isHorizontal ? adjustments.x : adjustments.y
        guard adjustment.upper > adjustment.page else { return false }
        adjustment.value += adjustment.page / 8 * (key == GDK_KEY_Left || key == GDK_KEY_Up ? -1 : 1)
        return true
    }

    private func watchPointer() {
        for (adjustment, isHorizontal) in [(adjustments.x, true), (adjustments.y, false)] {
            GTKSignals.connect(adjustment.pointer, "changed") { [weak self] in
                guard let anchor = self?.anchor else { return }
                adjustment.value =
                    isHorizontal ? anchor.x * adjustment.upper - anchor.left : anchor.y * adjustment.upper - anchor.top
            }
        }
        let wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)
        gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE)
        GTKSignals.connect(wheel, "scroll") { [weak self] arguments in
            self?.anchor = nil
            guard gtk_event_controller_get_current_event_state(wheel).rawValue & GDK_CONTROL_MASK.rawValue != 0 else {
                return false
            }
            self?.zoom(by: arguments.number(1) > 0 ? 0.8 : 1.25, at: self?.pointer(of: wheel))
            return true
        }
        let drag = gtk_gesture_drag_new()
        GTKSignals.connect(drag, "drag-begin") { [weak self] in
            guard let self else { return }
            (anchor, start.left, start.top) = (nil, adjustments.x.value, adjustments.y.value)
        }
        GTKSignals.connect(drag, "drag-update") { [weak self] arguments in
            guard let self else { return false }
            adjustments.x.value = start.left - arguments.number(0)
            adjustments.y.value = start.top - arguments.number(1)
            return false
        }
        let pinch = gtk_gesture_zoom_new()
        GTKSignals.connect(pinch, "begin") { [weak self] in self?.start.scale = self?.currentScale ?? 1 }
        GTKSignals.connect(pinch, "scale-changed") { [weak self] arguments in
            self?.setScale((self?.start.scale ?? 1) * arguments.number(0))
            return false
        }
        let click = gtk_gesture_click_new()
        GTKSignals.connect(click, "pressed") { [weak self] arguments in
            guard let self, arguments.number(0) == 2 else { return false }
            if scale == nil { setScale(1, at: (arguments.number(1), arguments.number(2))) } else { fit() }
            return true
        }
        for controller in [wheel, drag, pinch, click] { gtk_widget_add_controller(widget, controller) }
    }

    /// Where the pointer is in the window.
    private func pointer(of controller: OpaquePointer?) -> (left: Double, top: Double)? {
        var point = (left: 0.0, top: 0.0)
        guard let event = gtk_event_controller_get_current_event(controller),
            gdk_event_get_position(event, &point.left, &point.top) != 0,
            let root = gtk_widget_get_root(widget)
        else { return nil }
        var origin = (x: 0.0, y: 0.0)
        gtk_native_get_surface_transform(gtkCast(root), &origin.x, &origin.y)
        var result = (0.0, 0.0)
        gtk_widget_translate_coordinates(gtkCast(root), widget, point.left - origin.x, point.top - origin.y, &result.0, &result.1)
        return result
    }
}

/// The scroll position in one direction.
@MainActor struct Adjustment {
    let pointer: UnsafeMutablePointer<GtkAdjustment>?

    init(_ pointer: UnsafeMutablePointer<GtkAdjustment>?) { self.pointer = pointer }

    var upper: Double { gtk_adjustment_get_upper(pointer) }
    var page: Double { gtk_adjustment_get_page_size(pointer) }
    var value: Double {
        get { gtk_adjustment_get_value(pointer) }
        nonmutating set { gtk_adjustment_set_value(pointer, newValue) }
    }
}
