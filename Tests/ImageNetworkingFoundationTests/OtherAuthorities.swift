#if os(Linux)
    import Foundation
    import OtherSystem

    /// Replaces the system's list of certificate authorities, for one process.
    enum OtherAuthorities {
        private static let system = OtherSystem(
            mark: "CALOTYPE_TEST_AUTHORITIES", replacing: "/etc/ssl/certs/ca-certificates.crt", by: "authorities.pem")

        static let arePossible = system.isPossible

        /// The path of the list in such a process, where ``replace(by:)`` may write; `nil` in every other.
        static let list = system.place?.path

        /// Runs one suite in such a process; returns its output and whether it succeeded.
        static func run(suite: String) throws -> (isGood: Bool, text: String) {
            try system.run(suite: suite) { list in try Data().write(to: list) }
        }

        static func replace(by certificate: String) throws {
            guard let list, let file = FileHandle(forWritingAtPath: list) else { throw CocoaError(.fileNoSuchFile) }
            // Write in place, since a new file of that name would not be the mounted one.
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(certificate.utf8))
            try file.close()
        }
    }
#endif
