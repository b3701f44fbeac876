import Foundation
import ImageCore
import Testing

@Suite struct Origins {
    @Test(arguments: [
        ("https://example.org/a.jpg", "example.org"), ("HTTPS://EXAMPLE.org", "example.org"),
        ("https://example.org:443?a=/b", "example.org"), ("https://example.org:0443/", "example.org"),
        ("https://example.org:/", "example.org"), ("https://example.org:8443#a@b:1", "[example.org]:8443"),
        ("https://user:secret@example.org/", "example.org"),
        ("http://example.org/a:1@b", "http://example.org"), ("http://[2001:DB8::1]/", "http://2001:db8::1"),
        ("http://[2001:db8::1:8080]/", "http://2001:db8::1:8080"),
        ("http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080"), ("ftp://example.org/", "ftp://example.org"),
        ("data:image/png,//a@b:1", "data://"),
    ])
    func theOriginIsSchemeHostAndPort(_ text: String, _ origin: String) throws {
        #expect(try #require(URL(string: text)).origin == origin)
    }
}
