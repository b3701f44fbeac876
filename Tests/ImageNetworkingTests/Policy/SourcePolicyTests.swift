import ImageCore
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite struct AddressClasses {
    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "11.0.0.1", "100.63.255.255", "100.128.0.0", "169.253.0.1", "168.63.129.15", "168.63.129.17",
        "172.15.0.1", "172.32.0.1", "192.0.1.1",
        "192.167.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1", "2a00:1450::1", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2002:808:808::1",
    ])
    func theseArePublic(_ text: String) throws { #expect(try #require(IPAddress(text)).isPublic) }

    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
        "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "::ffff:168.63.129.16", "172.16.0.1",
        "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.7",
        "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1",
        "fd12::1",
        "ff02::1", "2001:db8::1", "2001::1", "3fff::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1",
        "64:ff9b:1::1",
        "2002:7f00:1::", "2002:a00:1::", "::127.0.0.1", "fec0::1", "100::1", "4000::1",
    ])
    func theseAreNot(_ text: String) throws { #expect(try !#require(IPAddress(text)).isPublic) }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "example.org", "[::1]", "127.1", "0x7f.0.0.1"])
    func malformedAddressesAreRejected(_ text: String) { #expect(IPAddress(text) == nil) }
}

@Suite(.timeLimit(.minutes(1))) struct SourcePolicies {
    private func problem(_ policy: SourcePolicy, _ url: String) throws -> String? {
        do { try policy.check(try #require(URL(string: url))) } catch let error as ImageError {
            #expect(error.code == .sourceForbidden)
            return error.message
        }
        return nil
    }

    @Test func schemesHostsAndPortsAreChecked() throws {
        var policy = SourcePolicy()
        policy.schemes = ["https", "data"]
        policy.hosts = ["images.example.org", "*.cdn.example"]
        policy.ports = [443, 8443]
        for url in [
            "https://images.example.org/a", "https://Images.Example.org.:8443/", "https://a.cdn.example/",
            "https://a.b.cdn.example/", "data:,x",
        ] { #expect(try problem(policy, url) == nil) }
        #expect(
            try problem(policy, "http://images.example.org/")
                == "http://images.example.org/ may not be loaded here: its scheme “http” is not allowed.")
        #expect(try problem(policy, "file:///etc/passwd")?.contains("its scheme “file”") == true)
        #expect(try problem(policy, "/etc/passwd")?.contains("its scheme “file”") == true)
        for url in [
            "https://example.org/", "https://cdn.example/", "https://evilcdn.example/", "https://images.example.org.evil/",
            "https://.cdn.example/",
        ] {
            #expect(try problem(policy, url)?.contains("is not allowed") == true)
        }
        #expect(try problem(policy, "https://a.cdn.example:444/")?.contains("the port 444 is not allowed") == true)
    }

    @Test(arguments: ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/"])
    func aPrivateAddressInTheURLIsRejectedFirst(_ url: String) throws {
        #expect(try problem(.publicWeb, url)?.contains("is not on the public internet") == true)
    }

    @Test func aGuardedLoaderSendsNoForbiddenRequest() async throws {
        struct Unreachable: DataLoading {
            func load(_ request: DataRequest) async throws -> DataResponse { throw ImageError(.plugInFailed, message: "asked") }
        }
        let loader = GuardedLoader(Unreachable(), policy: .publicWeb)
        let error = try await imageError {
            _ = try await loader.load(DataRequest(url: try #require(URL(string: "file:///etc/passwd"))))
        }
        #expect(error.code == .sourceForbidden)
    }

    @Test func aResponseFromAForbiddenRedirectIsNotReturned() async throws {
        struct Redirected: DataLoading {
            let address: URL
            func load(_ request: DataRequest) async throws -> DataResponse {
                DataResponse(url: address, body: ByteStream(Data([1])))
            }
        }
        let request = DataRequest(url: try #require(URL(string: "http://example.org/a")))
        for (address, isForbidden) in [
            ("http://10.0.0.1/a", true), ("file:///etc/passwd", true), ("https://example.net/b", false),
        ] {
            let loader = GuardedLoader(Redirected(address: try #require(URL(string: address))), policy: .publicWeb)
            let error = try? await imageError { _ = try await loader.load(request) }
            #expect((error?.code == .sourceForbidden) == isForbidden, "\(address)")
        }
    }
}
