import Calotype
import Foundation

/// `ResizeFolder FOLDER OUTPUT` writes each image of a folder as a WebP file of at most 320 × 320 pixels. The exit
/// status is 0, 1 if an image failed, 2 for a wrong usage, and 130 after Ctrl-C. Without arguments, it resizes the
/// images of the demo.
@main struct ResizeFolder {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.isEmpty {
            let images = URL(filePath: #filePath).appending(path: "../../../../../Sources/Command/Demo/Images").standardized
            arguments = [images.path, FileManager.default.temporaryDirectory.appending(path: "ResizeFolder").path]
        }
        guard arguments.count == 2, let names = try? FileManager.default.contentsOfDirectory(atPath: arguments[0]) else {
            report("Usage: ResizeFolder FOLDER OUTPUT")
            exit(2)
        }
        let (folder, output) = (URL(filePath: arguments[0]), URL(filePath: arguments[1]))
        let files = names.filter { !$0.hasPrefix(".") }.sorted().map { folder.appending(path: $0) }
        let work = Task { await resize(files, into: output) }

        // Ctrl-C cancels the loads. Files are written atomically, so that none is left half written.
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler { work.cancel() }
        interrupt.resume()
        let failures = await work.value
        if work.isCancelled { exit(130) }
        print("\(files.count - failures) of \(files.count) images are in \(output.path).")
        exit(failures == 0 ? 0 : 1)
    }

    /// Resizes the files, eight at a time so that memory does not grow with their number. Returns how many failed.
    private static func resize(_ files: [URL], into output: URL) async -> Int {
        let loader = ImageLoader.standard { ($0.memoryCache, $0.dataCache) = (nil, nil) }
        let requests = files.map { ImageRequest(url: $0, size: PixelSize(width: 320, height: 320)) }
        let showsProgress = isatty(STDERR_FILENO) == 1
        var failures = 0
        for await item in loader.responses(for: requests) {
            do {
                try write(item.result.get().image, named: files[item.index].lastPathComponent, into: output)
            } catch {
                failures += 1
                report("\(files[item.index].lastPathComponent): \(error)")
            }
            if showsProgress { FileHandle.standardError.write(Data("\r\(item.completed) of \(files.count)\u{1B}[K".utf8)) }
        }
        if showsProgress { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        return failures
    }

    private static func write(_ image: DecodedImage, named name: String, into output: URL) throws {
        let data = try EncoderRegistry(.codecs).encode(image, as: .webp, options: EncodeOptions())
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try data.write(to: output.appending(path: name + ".webp"), options: .atomic)
    }

    private static func report(_ message: String) { FileHandle.standardError.write(Data("\(message)\n".utf8)) }
}
