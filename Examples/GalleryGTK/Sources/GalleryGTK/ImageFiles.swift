import Calotype
import Foundation
import LoopbackHTTP

/// The URLs of the images to show: files, the files of folders, a list of URLs, or a local server.
struct ImageFiles {
    let urls: [URL]
    /// The position of the image to open first; `nil` to show the grid.
    var first: Int?
    /// The local server, which runs as long as this value exists.
    private var server: LoopbackServer?
    /// The names of the files that the server serves, in turn.
    private var names: [String] = []

    /// The name of the image at a position.
    func name(of index: Int) -> String { names.isEmpty ? urls[index].lastPathComponent : names[index % names.count] }

    /// Finds the images that the arguments name.
    ///
    /// - Parameter arguments: files, folders, or a text file with one URL per line; by default the current folder. A
    ///   single file opens its folder. `--serve` serves the files under thousands of URLs.
    init(arguments: [String]) throws {
        var paths = arguments.filter { !$0.hasPrefix("--") }
        if let list = paths.first, list.hasSuffix(".txt") {
            urls = try String(contentsOfFile: list, encoding: .utf8).split(whereSeparator: \.isNewline).compactMap {
                URL(string: String($0))
            }
            return
        }
        if paths.isEmpty { paths = ["."] }
        for path in paths where !FileManager.default.fileExists(atPath: path) {
            throw UsageError(description: "\(path) does not exist. Pass images, folders, or a .txt file with one URL per line.")
        }
        var opened: URL?
        if paths.count == 1, !ImageFiles.isFolder(paths[0]) {
            opened = URL(filePath: paths[0]).standardizedFileURL
            paths = [URL(filePath: paths[0]).deletingLastPathComponent().path]
        }
        let found = paths.flatMap { ImageFiles.images(in: $0, deep: opened == nil) }
        guard !found.isEmpty else {
            throw UsageError(description: "\(paths.joined(separator: ", ")) has no images. Pass a folder with images.")
        }
        guard arguments.contains("--serve") else {
            urls = found
            first = opened.flatMap { opened in found.firstIndex { $0.standardizedFileURL.path == opened.path } }
            return
        }
        let bodies = try found.map { try Array(Data(contentsOf: $0)) }
        let server = try LoopbackServer { request, connection in
            let body = bodies[(Int(request.path.dropFirst()) ?? 0) % bodies.count]
            try connection.respond(LoopbackServer.Response(200, headers: [("Cache-Control", "no-store")], body: body))
        }
        urls = (0..<5_000).compactMap { URL(string: server.url("/\($0)")) }
        (self.server, names) = (server, found.map(\.lastPathComponent))
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The image files of a folder, or a single file.
    private static func images(in path: String, deep: Bool) -> [URL] {
        guard isFolder(path) else { return [URL(filePath: path)] }
        let extensions: Set = ["jpg", "jpeg", "png", "webp", "avif", "gif"]
        let options: FileManager.DirectoryEnumerationOptions =
            deep ? [.skipsHiddenFiles] : [.skipsHiddenFiles, .skipsSubdirectoryDescendants]
        let files = FileManager.default.enumerator(at: URL(filePath: path), includingPropertiesForKeys: nil, options: options)
        return (files?.compactMap { $0 as? URL } ?? []).filter { extensions.contains($0.pathExtension.lowercased()) }
            .sorted { $0.path < $1.path }
    }
}

/// A mistake in the arguments.
struct UsageError: Error, CustomStringConvertible { let description: String }
