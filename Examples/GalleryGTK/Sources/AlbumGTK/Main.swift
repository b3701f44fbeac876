import CGTK
import Calotype
import ImageTargetsGTK

@main @MainActor enum Main {
    private static var album: Album?

    /// Synchronous: under an asynchronous `main`, GLib's loop would block Swift's own.
    static func main() {
        GTKMainLoop.attach()
        let application = gtk_application_new("org.example.Album", GApplicationFlags(rawValue: 0))
        typealias Activate = @convention(c) (UnsafeMutablePointer<GtkApplication>, UnsafeMutableRawPointer?) -> Void
        let activate: Activate = { application, _ in MainActor.assumeIsolated { open(application) } }
        g_signal_connect_data(
            application, "activate", unsafeBitCast(activate, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
        _ = g_application_run(UnsafeMutableRawPointer(application)?.assumingMemoryBound(to: GApplication.self), 0, nil)
    }

    private static func open(_ application: UnsafeMutablePointer<GtkApplication>) {
        let album = Album(CommandLine.arguments.dropFirst().map { URL(filePath: $0) })
        album.open(in: application)
        Main.album = album
    }
}
