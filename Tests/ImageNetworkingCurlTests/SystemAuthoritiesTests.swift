#if os(Linux)
    import Foundation
    import ImageCore
    import ImageNetworkingCurl
    import LoopbackHTTP
    import NetworkTestKit
    import OtherSystem
    import Testing

    private let authorities = OtherSystem(mark: "CALOTYPE_TEST_AUTHORITIES_FOLDER", replacing: "/etc/ssl/certs", by: "certs")

    @Suite(.timeLimit(.minutes(1)))
    struct AuthoritiesOfTheSystem {
        @Test(.enabled(if: authorities.isPossible, "It takes root, and the commands unshare and mount."))
        func theyAreNotTrustedBesideOnesOwn() throws {
            let (isGood, text) = try authorities.run(suite: "AuthoritiesInAFolder") { folder in
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                // Authorities that are others than the test's, which all have one name: OpenSSL asks the folder for no name that it
                // has.
                let list = "ca-certificates.crt"
                try FileManager.default.copyItem(
                    at: URL(filePath: "/etc/ssl/certs").appending(path: list), to: folder.appending(path: list))
            }
            #expect(text.contains("Test run with 1 test "), "\(text)")
            #expect(isGood, "\(text)")
        }
    }

    /// Runs in the process that the suite above starts.
    @Suite(.enabled(if: authorities.place != nil, "Its system's authorities are not the system's."))
    struct AuthoritiesInAFolder {
        @Test func onlyTheSystemsOwnChoiceTrustsThem() async throws {
            let folder = try #require(authorities.place)
            let trusted = try #require(LoopbackServer.Identity())
            // OpenSSL looks an authority up by a digest of its name, as `openssl x509 -hash` tells it.
            try Data(trusted.certificate.utf8).write(to: folder.appending(path: "c8bf7e9a.0"))
            let list = folder.appending(path: "ca-certificates.crt")
            let own = try Data(contentsOf: list)
            let server = try LoopbackServer(identity: trusted) { _, connection in
                try connection.respond(LoopbackServer.Response(200, body: Array("secret".utf8)))
            }
            #expect(try await CurlLoader(.withoutIdleTimeout).load(try server.request()).body.text() == "secret")
            for authorities in [CurlLoader.CertificateAuthorities.pem(own), .file(list.path)] {
                var configuration = CurlLoader.Configuration.withoutIdleTimeout
                configuration.certificateAuthorities = authorities
                let loader = CurlLoader(configuration)
                let error = try await imageError { _ = try await loader.load(try server.request()) }
                #expect(error.code == .insecure)
            }
        }
    }
#endif
