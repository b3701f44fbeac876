import Foundation
import ImageCore
import Testing

@Suite struct Origins {
    @Test(arguments: [
        ("https://example.org/a.jpg", "example.org:443"), ("HTTPS://EXAMPLE.org", "example.org:443"),
        ("https://example.org:443?a=/b", "example.org:443"), ("https://example.org:0443/", "example.org:443"),
        ("https://example.org:/", "example.org:443"), ("https://example.org:8443#a@b:1", "example.org:8443"),
        ("https://user:secret@example.org/", "example.org:443"),
        ("http://example.org/a:1@b", "http://example.org:80"), ("http://[2001:DB8::1]/", "http://2001:db8::1:80"),
        ("http://[2001:db8::1]:8080/", "http://2001:db8::1:8080"), ("ftp://example.org/", "ftp://example.org:80"),
        ("data:image/png,//a@b:1", "data://:80"),
    ])
    func theOriginIsSchemeHostAndPort(_ text: String, _ origin: String) throws {
        #expect(try #require(URL(string: text)).origin == origin)
    }
}
