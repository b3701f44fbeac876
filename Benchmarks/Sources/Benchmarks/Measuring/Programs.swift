internal import Foundation

/// The paths of the programs that are measured.
enum Programs {
    /// The folder of the project.
    static let project = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    /// Returns the path of a program of this package or of Calotype: beside this program if both were built in the same
    /// folder, otherwise in the release build of Calotype or of a peer. If none has it, returns the name, which is then
    /// missing when it is started.
    static func path(_ name: String) -> String {
        let own = Bundle.main.executableURL?.deletingLastPathComponent()
        let folders = [own] + [".build/release", ".build/async-http-client-peer/release"].map { project.appending(path: $0) }
        return folders.compactMap { $0?.appending(path: name).path }.first { FileManager.default.isExecutableFile(atPath: $0) }
            ?? name
    }

    /// A Python with Pillow and libvips: that of `Scripts/bench-peers`, or the system's.
    static let python: String = {
        let own = project.appending(path: ".build/bench-peers/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
    }()
}
