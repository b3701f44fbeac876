#if os(Linux)
    import Foundation
    import Glibc

    /// A list of certificate authorities in the place of the system's, for one process alone: a mount namespace of its own.
    enum OtherAuthorities {
        private static let system = "/etc/ssl/certs/ca-certificates.crt"
        private static let mark = "CALOTYPE_TEST_AUTHORITIES"

        static let arePossible: Bool = {
            guard getuid() == 0, unsafe access(system, R_OK) == 0 else { return false }
            return unsafe Glibc.system("unshare --mount mount --bind \(system) \(system) 2>/dev/null") == 0
        }()

        /// Begins the process anew, with the same arguments and descriptors, where the list is a file that ``replace(_:by:)``
        /// may write. Returns the path of the file, the second time; `nil` when the process cannot begin anew.
        static func enter() -> String? {
            if let list = ProcessInfo.processInfo.environment[mark] { return list }
            let list = FileManager.default.temporaryDirectory.appending(path: "authorities-\(UUID().uuidString).pem").path
            guard FileManager.default.createFile(atPath: list, contents: nil) else { return nil }
            _ = unsafe setenv(mark, list, 1)
            let script = "mount --bind \"$1\" \(system) && shift && exec \"$@\""
            let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
            let words = ["unshare", "--mount", "sh", "-c", script, "sh", list, own] + CommandLine.arguments.dropFirst()
            var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
            _ = unsafe execvp("unshare", &pointers)
            return nil
        }

        static func replace(_ list: String, by certificate: String) {
            // Written in place: another file of that name would not be the one that is mounted.
            guard let file = FileHandle(forWritingAtPath: list) else { return }
            try? file.truncate(atOffset: 0)
            try? file.write(contentsOf: Data(certificate.utf8))
            try? file.close()
        }
    }
#endif
