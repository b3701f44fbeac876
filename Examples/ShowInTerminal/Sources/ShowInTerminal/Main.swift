import Calotype
import Foundation

/// `ShowInTerminal [URL]` shows an image, or plays an animation for ten seconds. Without a URL, it shows an image of
/// the demo.
@main struct ShowInTerminal {
    static func main() async {
        let image = URL(filePath: #filePath).appending(path: "../../../../../Sources/Command/Demo/Images/dunes.jpg").standardized
        let url = CommandLine.arguments.dropFirst().first.flatMap { URL(string: $0) } ?? image

        let view = TerminalTarget(TerminalImage(terminal(), encoder: EncoderRegistry(.codecs)), showsProgress: true) { text in
            FileHandle.standardOutput.write(Data(text.utf8))
        }
        // The view tells the target its size, and shows placeholders, previews, progress, frames and failures.
        let target = ImageTarget(view, loader: ImageLoader.shared)
        var request = ImageRequest(url: url)
        request.options.previews = .incremental
        let (results, result) = AsyncStream.makeStream(of: Result<ImageResponse, LoadFailure>.self)
        await target.setImage(request) { result.yield($0) }
        for await loaded in results {
            guard case .success(let response) = loaded else { exit(1) }
            // The target plays the animation until it is cleared or released.
            if response.image.animation != nil { try? await Task.sleep(for: .seconds(10)) }
            await target.clear()
            return
        }
    }

    /// What the terminal can show, by its environment and the size of its window. `Terminal.query` asks for more.
    private static func terminal() -> Terminal {
        var window = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 && window.ws_row > 0
        return Terminal(
            environment: ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1,
            size: isKnown ? (columns: Int(window.ws_col), rows: Int(window.ws_row)) : (columns: 80, rows: 24),
            pixels: PixelSize(width: Int(window.ws_xpixel), height: Int(window.ws_ypixel)))
    }
}
