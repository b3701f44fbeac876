import CGallery
import Calotype
import Foundation
import ImageTargetsGTK

/// `GalleryGTK [FOLDER… | LIST.txt] [--serve] [--guide=FILE.png] [--trace]`
@main @MainActor struct Main {
    private static var gallery: Gallery?

    /// Synchronous, since GLib's loop takes the main thread.
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let guide = arguments.first { $0.hasPrefix("--guide=") }.map { GuidePicture(String($0.dropFirst(8))) }
        let pictures = try Pictures(arguments: arguments, isStorable: guide != nil)
        guard !pictures.urls.isEmpty else { return print("There are no pictures here. Name a folder, or a file of URLs.") }
        GTKMainLoop.attach()
        gallery = Gallery(pictures, guide: guide, trace: arguments.contains("--trace") ? Trace() : nil)
        var callbacks = gallery_callbacks(
            context: nil,
            ready: { _ in MainActor.assumeIsolated { Main.gallery?.ready() } },
            key: { _, key in MainActor.assumeIsolated { Main.gallery?.key(key) } },
            tick: { _ in MainActor.assumeIsolated { Main.gallery?.tick() } })
        if !gallery_run(&callbacks) { print("There is no display: start it in a graphical session.") }
    }
}
