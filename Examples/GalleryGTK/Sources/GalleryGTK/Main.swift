import CGallery
import Calotype
import Foundation
import ImageTargetsGTK

/// `GalleryGTK [FOLDER… | LIST.txt] [--serve] [--guide=FILE.png] [--trace]`
@main @MainActor struct Main {
    private static var gallery: Gallery?

    /// Synchronous, since GLib's loop occupies the main thread.
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let screenshot = arguments.first { $0.hasPrefix("--guide=") }.map { GuideScreenshot(String($0.dropFirst(8))) }
        let images = try GalleryImages(arguments: arguments, isStorable: screenshot != nil)
        guard !images.urls.isEmpty else {
            return print("No images were found. Pass a folder of images, or a .txt file with one URL per line.")
        }
        GTKMainLoop.attach()
        gallery = Gallery(images, screenshot: screenshot, trace: arguments.contains("--trace") ? Trace() : nil)
        var callbacks = gallery_callbacks(
            context: nil,
            ready: { _ in MainActor.assumeIsolated { Main.gallery?.ready() } },
            key: { _, key in MainActor.assumeIsolated { Main.gallery?.key(key) } },
            tick: { _ in MainActor.assumeIsolated { Main.gallery?.tick() } })
        if !gallery_run(&callbacks) { print("There is no display. Start the program in a graphical session.") }
    }
}
