import CGTK
import Calotype
import ImageTargetsGTK

/// A window with a grid of thumbnails, and the selected image beside it. Keep it as long as the window.
@MainActor final class Album {
    private let urls: [URL]
    private let list: GTKImageList
    private let large = GTKImageView(contentMode: .fit)
    private let target: ImageTarget<GTKImageView>

    init(_ urls: [URL]) {
        self.urls = urls
        target = ImageTarget(large, loader: ImageLoader.shared)
        list = GTKImageList(loader: ImageLoader.shared, cellSize: PixelSize(width: 128, height: 128)) { index in
            var request = ImageRequest(url: urls[index])
            request.options.placeholder = .color(red: 0.8, green: 0.8, blue: 0.8, alpha: 1)
            request.options.accessibilityLabel = urls[index].lastPathComponent
            return request
        }
        list.onActivate = { [weak self] index in self?.show(index) }
        list.count = urls.count
    }

    func open(in application: UnsafeMutablePointer<GtkApplication>) {
        let panes = OpaquePointer(gtk_paned_new(GTK_ORIENTATION_HORIZONTAL))
        gtk_paned_set_start_child(panes, list.widget.assumingMemoryBound(to: GtkWidget.self))
        gtk_paned_set_end_child(panes, large.widget.assumingMemoryBound(to: GtkWidget.self))
        gtk_paned_set_position(panes, 420)
        guard let widget = gtk_application_window_new(application) else { return }
        let window = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_default_size(window, 1_000, 700)
        gtk_window_set_child(window, UnsafeMutableRawPointer(panes)?.assumingMemoryBound(to: GtkWidget.self))
        gtk_window_present(window)
        if !urls.isEmpty { show(0) }
    }

    private func show(_ index: Int) {
        var request = ImageRequest(url: urls[index], size: large.devicePixels(PixelSize(1_000)))
        request.options.accessibilityLabel = urls[index].lastPathComponent
        target.setImage(request)
    }
}
