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
        target = large.makeTarget(loader: ImageLoader.shared)
        list = GTKImageList(loader: ImageLoader.shared, cellSize: PixelSize(width: 128, height: 128)) { index in
            var request = ImageRequest(url: urls[index])
            request.options.placeholder = .color(red: 0.5, green: 0.5, blue: 0.5, alpha: 0.2)
            request.options.accessibilityLabel = urls[index].lastPathComponent
            return request
        }
        list.onSelectionChange = { [weak self] positions in if let index = positions.first { self?.show(index) } }
        list.count = urls.count
    }

    func open(in application: UnsafeMutablePointer<GtkApplication>?) {
        let panes = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL)
        gtk_paned_set_start_child(gtkCast(panes), gtkCast(list.widget))
        gtk_paned_set_end_child(gtkCast(panes), gtkCast(large.widget))
        gtk_paned_set_position(gtkCast(panes), 420)
        let window = gtk_application_window_new(application)
        gtk_window_set_default_size(gtkCast(window), 1_000, 700)
        gtk_window_set_child(gtkCast(window), panes)
        gtk_window_present(gtkCast(window))
    }

    private func show(_ index: Int) {
        var request = ImageRequest(url: urls[index])
        request.options.accessibilityLabel = urls[index].lastPathComponent
        request.options.previews = .incremental
        target.setImage(request)
    }
}
