import CGTK
import Calotype
import ImageTargetsGTK

@main @MainActor enum Main {
    private static let application = gtk_application_new("org.example.Album", GApplicationFlags(rawValue: 0))
    private static var album: Album?

    /// Synchronous: under an asynchronous `main`, GLib's loop would block Swift's own.
    static func main() {
        GTKMainLoop.attach()
        g_signal_connect_data(
            application, "activate", { MainActor.assumeIsolated { Main.open() } }, nil, nil, GConnectFlags(rawValue: 0))
        _ = g_application_run(UnsafeMutableRawPointer(application)?.assumingMemoryBound(to: GApplication.self), 0, nil)
    }

    private static func open() {
        guard let application else { return }
        album = Album(CommandLine.arguments.dropFirst().map { URL(filePath: $0) })
        album?.open(in: application)
    }
}
