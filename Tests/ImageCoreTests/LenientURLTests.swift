import ImageCore
import Testing

/// What no URL may contain is encoded, and nothing else.
@Suite struct LenientURLs {
    @Test(arguments: [
        ("https://a.example/b?a[]=1&sig=%2f", "https://a.example/b?a%5B%5D=1&sig=%2f"),
        ("http://a/%2f%E9%zz?%#%41%", "http://a/%2f%E9%25zz?%25#%41%25"), ("http://a/b c?d e#f g", "http://a/b%20c?d%20e#f%20g"),
        ("http://a/\u{FC}?q=\u{1F600}", "http://a/%C3%BC?q=%F0%9F%98%80"),
        ("http://a/b|c^d{e}\"<>`\\", "http://a/b%7Cc%5Ed%7Be%7D%22%3C%3E%60%5C"),
        ("http://a/b#c#d", "http://a/b#c%23d"), ("  http://a/b\n", "http://a/b"), ("http://a/b\tc", "http://a/b%09c"),
        ("http://[::1]:8080/a[1]", "http://[::1]:8080/a%5B1%5D"), ("http://u:p%40@a/[b]", "http://u:p%40@a/%5Bb%5D"),
        ("http://a?x=[1]", "http://a?x=%5B1%5D"), ("http://a", "http://a"), ("HTTP://A/B", "HTTP://A/B"),
        ("http://a/;,/?:@&=+$-_.!~*'()", "http://a/;,/?:@&=+$-_.!~*'()"),
        ("data:image/png; base64,AA AA", "data:image/png;%20base64,AA%20AA"), ("file:///tmp/a b%20c", "file:///tmp/a%20b%20c"),
        ("http://xn--bcher-kva.example/%2f", "http://xn--bcher-kva.example/%2f"), ("/a b", "/a%20b"),
    ])
    func onlyInvalidCharactersAreEncoded(_ text: String, _ expected: String) {
        #expect(URL(lenient: text)?.absoluteString == expected)
    }

    @Test func anInternationalHostIsConverted() {
        #expect(URL(lenient: "http://b\u{FC}cher.example/%2f b")?.absoluteString == "http://xn--bcher-kva.example/%2f%20b")
    }

    /// A URL stays the same however often it is read.
    @Test(arguments: ["http://a/%2f b?[]%", "http://a/#a#b", "http://a/%25%2525"])
    func encodingTwiceChangesNothing(_ text: String) throws {
        let once = try #require(URL(lenient: text)).absoluteString
        #expect(URL(lenient: once)?.absoluteString == once)
    }

    @Test(arguments: ["http://a b/", "http://%zz/", "http://[::1/", "http://a:b/", ""])
    func anInvalidHostIsNoURL(_ text: String) { #expect(URL(lenient: text) == nil) }

    @Test func longTextTakesLittleTime() {
        #expect(URL(lenient: "http://a/" + String(repeating: "%[", count: 100_000))?.absoluteString.utf8.count == 9 + 600_000)
    }
}
