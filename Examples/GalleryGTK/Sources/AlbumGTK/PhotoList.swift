import CGTK
import Calotype
import ImageTargetsGTK

/// Photos with their names, of which several can be selected and removed.
@MainActor final class PhotoList {
    private var photos: [URL] = []

    private(set) lazy var list: GTKImageList = {
        let size = PixelSize(width: 160, height: 120)
        let list = GTKImageList(loader: ImageLoader.shared, cellSize: size, selectionMode: .multiple) { [weak self] index in
            var request = self.map { ImageRequest(url: $0.photos[index]) }
            request?.options.offScreenPolicy = .cancels
            return request
        }
        list.makeCell = { view in
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4)
            gtk_box_append(gtkCast(box), gtkCast(view.widget))
            gtk_box_append(gtkCast(box), gtk_label_new(nil))
            return gtkCast(box)
        }
        list.updateCell = { [weak self] box, index in
            let label = gtk_widget_get_last_child(gtkCast(box))
            gtk_label_set_text(gtkCast(label), self?.photos[index].lastPathComponent)
        }
        return list
    }()

    func append(_ urls: [URL]) {
        photos += urls
        list.insert(urls.count, at: list.count)
    }

    func removeSelected() {
        for index in list.selection.sorted(by: >) {
            photos.remove(at: index)
            list.remove(at: index)
        }
    }
}
