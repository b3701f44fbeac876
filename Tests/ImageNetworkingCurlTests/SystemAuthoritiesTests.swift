#if os(Linux)
    import Foundation
    import ImageCore
    import ImageNetworkingCurl
    import LoopbackHTTP
    import LoopbackTLS
    import NetworkTestKit
    import OtherSystem
    import Testing

    private let authorities = OtherSystem(mark: "CALOTYPE_TEST_AUTHORITIES_FOLDER", replacing: "/etc/ssl/certs", by: "certs")

    @Suite(.timeLimit(.minutes(1)))
    struct AuthoritiesOfTheSystem {
        @Test(.enabled(if: authorities.isPossible, "Needs root, and the commands unshare and mount."))
        func systemAuthoritiesAreNotTrustedBesideCustomOnes() throws {
            let (isGood, text) = try authorities.run(suite: "AuthoritiesInAFolder") { folder in
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                // Other authorities than the test's, which share one name: OpenSSL looks up a name in the folder only
                // if it has no authority of that name.
                let list = "ca-certificates.crt"
                try FileManager.default.copyItem(
                    at: URL(filePath: "/etc/ssl/certs").appending(path: list), to: folder.appending(path: list))
            }
            #expect(text.contains("Test run with 1 test "), "\(text)")
            #expect(isGood, "\(text)")
        }
    }

    /// Runs in the process that the suite above starts.
    @Suite(.enabled(if: authorities.place != nil, "Needs the process with other authorities."), .timeLimit(.minutes(1)))
    struct AuthoritiesInAFolder {
        @Test func onlyTheSystemSettingTrustsThem() async throws {
            let folder = try #require(authorities.place)
            let trusted = try #require(LoopbackServer.Identity())
            // OpenSSL looks up an authority by a digest of its name, as printed by `openssl x509 -hash`.
            try Data(trusted.certificate.utf8).write(to: folder.appending(path: "c8bf7e9a.0"))
            let list = folder.appending(path: "ca-certificates.crt")
            let own = try Data(contentsOf: list)
            let server = try LoopbackServer(security: trusted) { _, connection in
                try connection.respond(LoopbackServer.Response(200, body: Array("secret".utf8)))
            }
            #expect(try await CurlLoader().load(try server.request()).body.text() == "secret")
            for authorities in [CurlLoader.CertificateAuthorities.pem(own), .file(list.path)] {
                var configuration = CurlLoader.Configuration()
                configuration.certificateAuthorities = authorities
                let loader = CurlLoader(configuration)
                let error = try await imageError { _ = try await loader.load(try server.request()) }
                #expect(error.code == .insecure)
            }
        }
    }
#endif
