internal import Calotype
internal import Foundation

/// A new folder for files of a benchmark.
struct ScratchFolder: Sendable {
    /// The paths of all folders of this process that exist.
    private static let existing = Lock<Set<String>>([])

    let path: String

    /// - Parameter parent: By default the folder for temporary files.
    init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        let path = parent.appending(path: "calotype-bench-\(UUID().uuidString)").path
        self.path = path
        Self.existing.withLock { _ = $0.insert(path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    func file(_ name: String) -> String { path + "/" + name }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        Self.existing.withLock { _ = $0.remove(path) }
    }

    /// Removes all folders, before the process ends early.
    static func removeAll() {
        for path in existing.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}
