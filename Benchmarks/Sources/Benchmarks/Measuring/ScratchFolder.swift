internal import Foundation

/// A new folder for files of a benchmark.
struct ScratchFolder: Sendable {
    let path: String

    /// - Parameter parent: By default the folder for temporary files.
    init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        path = parent.appending(path: "calotype-bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    func file(_ name: String) -> String { path + "/" + name }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
