package import Foundation

/// Files of the project that tests read.
package enum ProjectFiles {
    /// The folder with the project's `Package.swift`.
    package static let root: URL = {
        var folder = URL(filePath: #filePath)
        // Search upwards, so that this file may move.
        repeat { folder.deleteLastPathComponent() } while !isRoot(folder) && folder.path != "/"
        return folder
    }()

    /// Files of other programs, and files with results of other programs.
    package static let fixtures = root.appending(path: "Tests/Fixtures")

    /// The seed files of the fuzzer, by format.
    package static let fuzzSeeds = root.appending(path: "Fuzz/Seeds")

    /// The images of the demo's gallery.
    package static let gallery = root.appending(path: "Sources/Command/Demo/Images")

    private static func isRoot(_ folder: URL) -> Bool {
        ["Package.swift", "Tests/Fixtures"].allSatisfy { FileManager.default.fileExists(atPath: folder.appending(path: $0).path) }
    }
}
