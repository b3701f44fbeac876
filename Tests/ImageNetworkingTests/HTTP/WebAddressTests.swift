import Testing

@testable import ImageNetworking

@Suite struct WebAddresses {
    private func address(_ text: String) throws -> WebAddress { try WebAddress(text) }

    @Test(arguments: [
        ("http://Example.org", "http", "example.org", 80), ("HTTPS://example.org/a?b#c", "https", "example.org", 443),
        ("http://example.org:8080?q", "http", "example.org", 8080), ("http://[::1]:81/", "http", "[::1]", 81),
        ("https://[2001:DB8::1]", "https", "[2001:db8::1]", 443), ("http://a:/", "http", "a", 80),
        ("http://user:p@ss@host.example/", "http", "host.example", 80), ("http://bücher.example/", "http", "bücher.example", 80),
    ])
    func theOriginIsSchemeHostAndPort(_ text: String, _ scheme: String, _ host: String, _ port: Int) throws {
        #expect(try address(text).origin == WebAddress.Origin(isSecure: scheme == "https", host: host, port: port))
    }

    @Test func theTextOmitsCredentialsAndFragment() throws {
        let address = try address("http://us:er@a.example:81/b?c#d")
        #expect(address.text == "http://a.example:81/b?c")
        #expect(address.credentials == "us:er")
        #expect(try self.address("http://a.example/?#d").text == "http://a.example/?")
    }

    @Test(arguments: [
        "http://", "http:///a", "http:/a", "http:a", "http://a b/", "http://a\\@b/", "http://a%2eb/", "http://[::1/",
        "http://::1/",
        "http://[]/", "http://a:0/", "http://a:65536/", "http://a:8x/", "http://a:-1/", "http://a,b/", "http://[v1.x]/",
    ])
    func ambiguousURLsAreRejected(_ text: String) {
        #expect(throws: WebAddress.Problem.self) { try WebAddress(text) }
    }
}
