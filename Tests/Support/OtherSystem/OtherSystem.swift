#if os(Linux)
    package import Foundation
    import CalotypeSystem

    /// A process with a separate mount namespace, in which a file or a folder of the system is replaced.
    package struct OtherSystem: Sendable {
        private let mark: String
        private let system: String
        private let name: String

        /// - Parameters:
        ///   - mark: the environment variable that marks such a process.
        ///   - system: the path that is replaced.
        ///   - name: the name of the replacement.
        package init(mark: String, replacing system: String, by name: String) {
            (self.mark, self.system, self.name) = (mark, system, name)
        }

        package var isPossible: Bool {
            guard getuid() == 0, place == nil, unsafe access(system, R_OK) == 0 else { return false }
            return unsafe CalotypeSystem.system("unshare --mount mount --bind \(system) \(system) 2>/dev/null") == 0
        }

        /// The replacement, in such a process; `nil` in every other.
        package var place: URL? { ProcessInfo.processInfo.environment[mark].map { URL(filePath: $0).appending(path: name) } }

        /// Runs one suite in such a process, with the replacement that `make` creates at the given location; returns
        /// its output and whether it succeeded.
        package func run(suite: String, _ make: (URL) throws -> Void) throws -> (isGood: Bool, text: String) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "other-system-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: folder) }
            try make(folder.appending(path: name))
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.environment = ProcessInfo.processInfo.environment.merging([mark: folder.path]) { _, own in own }
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let script = "mount --bind \"$\(mark)/\(name)\" \(system) && exec \"$@\""
            process.arguments =
                ["unshare", "--mount", "sh", "-c", script, "sh", own]
                + ["--testing-library", "swift-testing", "--filter", suite]
            let output = Pipe()
            (process.standardOutput, process.standardError) = (output, output)
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus == 0, text)
        }
    }
#endif
