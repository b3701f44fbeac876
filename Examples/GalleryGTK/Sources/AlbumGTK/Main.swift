import CGTK
import Calotype
import ImageTargetsGTK

@main @MainActor enum Main {
    private static var album: Album?

    /// Synchronous: under an asynchronous `main`, GLib's loop would block Swift's own.
    static func main() {
        GTKMainLoop.attach()
        let application = gtk_application_new("org.example.Album", GApplicationFlags(rawValue: 0))
        GTKSignals.connect(application, "activate") {
            album = Album(CommandLine.arguments.dropFirst().map { URL(filePath: $0) })
            album?.open(in: application)
        }
        _ = g_application_run(gtkCast(application), 0, nil)
    }
}
