#if os(Linux)
    import Foundation
    import Glibc
    import ImageCore
    import ImageNetworking
    import LoopbackHTTP
    import Testing

    /// A folder of certificate authorities in the place of the system's, for one process alone: a mount namespace of its own.
    private enum FolderOfAuthorities {
        private static let system = "/etc/ssl/certs"
        private static let mark = "CALOTYPE_TEST_AUTHORITIES_FOLDER"

        static let isPossible: Bool = {
            guard getuid() == 0, path == nil, unsafe access(system, R_OK) == 0 else { return false }
            return unsafe Glibc.system("unshare --mount mount --bind \(system) \(system) 2>/dev/null") == 0
        }()

        /// The folder in such a process; `nil` in every other.
        static let path = ProcessInfo.processInfo.environment[mark]

        /// Runs one suite in such a process; what it printed, and whether it ended well.
        static func run(suite: String) throws -> (isGood: Bool, text: String) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "authorities-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: folder) }
            // Authorities that are others than the test's, which all have one name: OpenSSL asks the folder for no name that it has.
            let list = "ca-certificates.crt"
            try FileManager.default.copyItem(at: URL(filePath: system).appending(path: list), to: folder.appending(path: list))
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.environment = ProcessInfo.processInfo.environment.merging([mark: folder.path]) { _, own in own }
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
    }

    @Suite(.timeLimit(.minutes(1)))
    struct AuthoritiesOfTheSystem {
        @Test(.enabled(if: FolderOfAuthorities.isPossible, "It takes root, and the commands unshare and mount."))
        func theyAreNotTrustedBesideOnesOwn() throws {
            let (isGood, text) = try FolderOfAuthorities.run(suite: "AuthoritiesInAFolder")
            #expect(text.contains("Test run with 1 test "), "\(text)")
            #expect(isGood, "\(text)")
        }
    }

    /// Runs in the process that the suite above starts.
    @Suite(.enabled(if: FolderOfAuthorities.path != nil, "Its system's authorities are not the system's."))
    struct AuthoritiesInAFolder {
        @Test func onlyTheSystemsOwnChoiceTrustsThem() async throws {
            let folder = URL(filePath: try #require(FolderOfAuthorities.path))
            let trusted = try #require(LoopbackServer.Identity())
            // OpenSSL looks an authority up by a digest of its name, as `openssl x509 -hash` tells it.
            try Data(trusted.certificate.utf8).write(to: folder.appending(path: "c8bf7e9a.0"))
            let list = folder.appending(path: "ca-certificates.crt")
            let own = try Data(contentsOf: list)
            let server = try LoopbackServer(identity: trusted) { _, connection in
                try connection.respond(LoopbackServer.Response(200, body: Array("secret".utf8)))
            }
            #expect(try await CurlLoader(.patient).load(try server.request()).body.text() == "secret")
            for authorities in [CurlLoader.CertificateAuthorities.pem(own), .file(list.path)] {
                var configuration = CurlLoader.Configuration.patient
                configuration.certificateAuthorities = authorities
                let loader = CurlLoader(configuration)
                let error = try await imageError { _ = try await loader.load(try server.request()) }
                #expect(error.code == .insecure)
            }
        }
    }
#endif
