import CGTK
import Calotype
import Foundation
import ImageTargetsGTK

/// `GalleryGTK [FILE… | FOLDER… | LIST.txt] [--serve] [--trace]`
@main @MainActor enum Main {
    private static var window: GalleryWindow?

    /// Synchronous, since GLib's loop occupies the main thread.
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            let images = try ImageFiles(arguments: arguments)
            guard gtk_init_check() != 0 else {
                throw UsageError(description: "There is no display. Start the program in a graphical session.")
            }
            GTKMainLoop.attach()
            // Every start has its own window.
            let flags = GApplicationFlags(rawValue: 1 << 5)  // G_APPLICATION_NON_UNIQUE
            guard let application = gtk_application_new("org.example.Gallery", flags) else { return }
            GTKSignals.connect(application, "activate") {
                window = GalleryWindow(images, application, isTraced: arguments.contains("--trace"))
            }
            let status = g_application_run(gtkCast(application), 0, nil)
            window = nil
            exit(status)
        } catch {
            FileHandle.standardError.write(Data("GalleryGTK: \(error)\n".utf8))
            exit(1)
        }
    }
}
