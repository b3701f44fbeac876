#if os(Linux)
    import Foundation
    import Glibc

    /// A list of certificate authorities in the place of the system's, for one process alone: a mount namespace of its own.
    enum OtherAuthorities {
        private static let system = "/etc/ssl/certs/ca-certificates.crt"
        private static let mark = "CALOTYPE_TEST_AUTHORITIES"

        static let arePossible: Bool = {
            guard getuid() == 0, list == nil, unsafe access(system, R_OK) == 0 else { return false }
            return unsafe Glibc.system("unshare --mount mount --bind \(system) \(system) 2>/dev/null") == 0
        }()

        /// The path of the list in such a process, where ``replace(by:)`` may write; `nil` in every other.
        static let list = ProcessInfo.processInfo.environment[mark]

        /// Runs one suite in such a process; what it printed, and whether it ended well.
        static func run(suite: String) throws -> (isGood: Bool, text: String) {
            let list = FileManager.default.temporaryDirectory.appending(path: "authorities-\(UUID().uuidString).pem")
            try Data().write(to: list)
            defer { try? FileManager.default.removeItem(at: list) }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.environment = ProcessInfo.processInfo.environment.merging([mark: list.path]) { _, own in own }
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let script = "mount --bind \"$\(mark)\" \(system) && exec \"$@\""
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

        static func replace(by certificate: String) throws {
            guard let list, let file = FileHandle(forWritingAtPath: list) else { throw CocoaError(.fileNoSuchFile) }
            // Written in place: another file of that name would not be the one that is mounted.
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(certificate.utf8))
            try file.close()
        }
    }
#endif
