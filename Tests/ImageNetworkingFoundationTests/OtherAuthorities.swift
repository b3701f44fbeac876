#if os(Linux)
    import Foundation
    import OtherSystem

    /// A list of certificate authorities in the place of the system's, for one process alone.
    enum OtherAuthorities {
        private static let system = OtherSystem(
            mark: "CALOTYPE_TEST_AUTHORITIES", replacing: "/etc/ssl/certs/ca-certificates.crt", by: "authorities.pem")

        static let arePossible = system.isPossible

        /// The path of the list in such a process, where ``replace(by:)`` may write; `nil` in every other.
        static let list = system.place?.path

        /// Runs one suite in such a process; what it printed, and whether it ended well.
        static func run(suite: String) throws -> (isGood: Bool, text: String) {
            try system.run(suite: suite) { list in try Data().write(to: list) }
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
