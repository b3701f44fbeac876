import CGTK
import Calotype
import ImageTargetsGTK

@main @MainActor enum Main {
    static func main() {
        gtk_init()
        GTKMainLoop.attach()
        let view = GTKImageView(contentMode: .fit)
        let target = ImageTarget(view, loader: ImageLoader.shared)
        let window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_default_size(window, 640, 480)
        gtk_window_set_child(window, view.widget.assumingMemoryBound(to: GtkWidget.self))
        gtk_window_present(window)
        target.setImage(URL(string: "https://example.org/cat.jpg"))
        // The view and its target must live as long as the window.
        withExtendedLifetime((view, target)) {
            while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 { g_main_context_iteration(nil, 1) }
        }
    }
}
