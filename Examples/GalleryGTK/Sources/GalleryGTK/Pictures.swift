import Calotype
import Foundation
import LoopbackHTTP

/// Where the gallery's pictures come from: a folder, a list of URLs, or a server of its own that serves the pictures of a
/// folder thousands of times over.
struct Pictures {
    let urls: [URL]
    let hashes = Hashes()
    /// Keeps the server running.
    private let server: LoopbackServer?
    /// Of the files that it serves, in turn.
    private let names: [String]

    func title(of index: Int) -> String {
        let name = names.isEmpty ? urls[index].lastPathComponent : names[index % names.count]
        return "\(index + 1)   \(name)"
    }

    /// - Parameter isStorable: whether a disk cache may keep what the server serves, which is gone when the program ends.
    init(arguments: [String], isStorable: Bool) throws {
        let files = FileManager.default
        var paths = arguments.filter { !$0.hasPrefix("--") }
        let isServed = arguments.contains("--serve")
        if let first = paths.first, first.hasSuffix(".txt") {
            // One URL a line.
            urls = try String(contentsOfFile: first, encoding: .utf8).split(separator: "\n").compactMap {
                URL(string: String($0))
            }
            (server, names) = (nil, [])
            return
        }
        if paths.isEmpty { paths = ["."] }
        let kinds: Set = ["jpg", "jpeg", "png", "webp", "avif", "gif"]
        let found = paths.flatMap { path in
            let folder = URL(filePath: path)
            let names = files.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
            return names.filter { kinds.contains($0.pathExtension.lowercased()) }
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
        let made = bodies.map { body in
            (try? DecoderRegistry(.codecs).decode(Data(body), options: small)).flatMap { try? ThumbHash.encode($0) }
        }
        for (index, url) in urls.enumerated() { if let hash = made[index % made.count] { hashes.add(Data(hash), for: url) } }
    }
}
