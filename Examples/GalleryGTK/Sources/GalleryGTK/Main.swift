import CGallery
import Calotype
import Foundation
import ImageTargetsGTK

/// `GalleryGTK [FOLDER… | LIST.txt] [--serve] [--snapshot=FILE.png]`
@main @MainActor struct Main {
    private static var gallery: Gallery?

    /// Synchronous, since GLib's loop takes the main thread.
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let pictures = try Pictures(arguments: arguments)
        guard !pictures.urls.isEmpty else { return print("There are no pictures here. Name a folder, or a file of URLs.") }
        GTKMainLoop.attach()
        let snapshot = arguments.first { $0.hasPrefix("--snapshot=") }.map { String($0.dropFirst(11)) }
        gallery = Gallery(pictures, snapshot: snapshot)
        var callbacks = gallery_callbacks(
            context: nil,
            ready: { _ in MainActor.assumeIsolated { Main.gallery?.ready() } },
            key: { _, key in MainActor.assumeIsolated { Main.gallery?.key(key) } },
            tick: { _ in MainActor.assumeIsolated { Main.gallery?.tick() } })
        if !gallery_run(&callbacks) { print("There is no display: start it in a graphical session.") }
    }
}
