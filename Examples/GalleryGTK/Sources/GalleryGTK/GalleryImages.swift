import Calotype
import Foundation
import LoopbackHTTP

/// The URLs of the gallery's images: the files of folders, a list of URLs, or a local server that serves the files of folders under
/// thousands of URLs.
struct GalleryImages {
    let urls: [URL]
    let hashes = Hashes()
    /// The local server, which runs as long as this value exists.
    private let server: LoopbackServer?
    /// The names of the files that the server serves, in turn.
    private let names: [String]

    /// The title of the image at a position.
    func title(of index: Int) -> String {
        let name = names.isEmpty ? urls[index].lastPathComponent : names[index % names.count]
        return "\(index + 1)   \(name)"
    }

    /// Finds the images that the arguments name.
    ///
    /// - Parameters:
    ///   - arguments: folders, or a text file with one URL per line; by default the current folder. `--serve` starts the server.
    ///   - isStorable: whether the disk cache may store the server's responses, whose URLs become invalid when the program ends.
    init(arguments: [String], isStorable: Bool) throws {
        let files = FileManager.default
        var paths = arguments.filter { !$0.hasPrefix("--") }
        let isServed = arguments.contains("--serve")
        if let first = paths.first, first.hasSuffix(".txt") {
            urls = try String(contentsOfFile: first, encoding: .utf8).split(separator: "\n").compactMap {
                URL(string: String($0))
            }
            (server, names) = (nil, [])
            return
        }
        if paths.isEmpty { paths = ["."] }
        let extensions: Set = ["jpg", "jpeg", "png", "webp", "avif", "gif"]
        let found = paths.flatMap { path in
            let folder = URL(filePath: path)
            let names = files.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
            return names.filter { extensions.contains($0.pathExtension.lowercased()) }
        }.sorted { $0.path < $1.path }
        guard isServed, !found.isEmpty else {
            urls = found
            (server, names) = (nil, [])
            return
        }
        let bodies = try found.map { try Array(Data(contentsOf: $0)) }
        let freshness = isStorable ? "max-age=60" : "no-store"
        let server = try LoopbackServer { request, connection in
            let body = bodies[(Int(request.path.dropFirst()) ?? 0) % bodies.count]
            try connection.respond(LoopbackServer.Response(200, headers: [("Cache-Control", freshness)], body: body))
        }
        urls = (0..<5_000).compactMap { URL(string: server.url("/\($0)")) }
        (self.server, names) = (server, found.map(\.lastPathComponent))
        var small = DecodeOptions()
        small.targetSize = PixelSize(width: 100, height: 100)
        let thumbHashes = bodies.map { body in
            (try? DecoderRegistry(.codecs).decode(Data(body), options: small)).flatMap { try? ThumbHash.encode($0) }
        }
        for (index, url) in urls.enumerated() {
            if let hash = thumbHashes[index % thumbHashes.count] { hashes.add(Data(hash), for: url) }
        }
    }
}
