import CGTK
import Calotype
import ImageTargetsGTK

@main @MainActor enum Main {
    private static var view: GTKImageView?

    /// Synchronous: under an asynchronous `main`, GLib's loop would block Swift's own.
    static func main() {
        GTKMainLoop.attach()
        let application = gtk_application_new("org.example.Hello", GApplicationFlags(rawValue: 0))
        GTKSignals.connect(application, "activate") { open(in: application) }
        _ = g_application_run(gtkCast(application), 0, nil)
    }

    private static func open(in application: UnsafeMutablePointer<GtkApplication>?) {
        // Keep the view as long as the window.
        let view = GTKImageView(contentMode: .fit)
        self.view = view
        let window = gtk_application_window_new(application)
        gtk_window_set_default_size(gtkCast(window), 640, 480)
        gtk_window_set_child(gtkCast(window), gtkCast(view.widget))
        gtk_window_present(gtkCast(window))
        let target = view.makeTarget(loader: ImageLoader.shared)
        view.onRetry = { [weak target] in target?.setImage(URL(string: "https://example.org/cat.jpg")) }
        view.onRetry?()
    }
}
