import CalotypeTesting
import CCalotypeCurl
import ImageCore
import ImageNetworking
import Testing

@testable import ImageNetworkingCurl

/// The host that the policy checks is the one that libcurl connects to: both parse a URL alike, or libcurl rejects it.
@Suite struct WebAddressesReadTwice {
    private static let pieces: [String] =
        [
            "http://", "https://", "HTTP://", "http:/", "http:///", "http:\\\\", "//", "user:secret@", "@", "@@", ":", ":80",
            ":443", ":0",
        ]
        + [
            ":65536", ":080", ":8o", "example.org", "EXAMPLE.org", "localhost", "127.0.0.1", "127.1", "0x7f.1", "017700000001",
            "1", "[::1]",
        ]
        + [
            "[::ffff:127.0.0.1]", "[::1", "[v1.a]", "::1", "]", "[", "a", ".", "..", "-", "_", "%", "%2f", "%40", "%00", "ü", "。",
            "ⓛ", "\\",
        ]
        + [
            "/", "/a", "/../", "?", "?x@y", "#", "#x@y", ";", "&", "=", "+", " ", "\t", "\n", "\u{0}", "\u{7F}", "<", "\"", "{",
            "|", "^",
        ]

    /// The host that libcurl parses; `nil` if it rejects the URL.
    private func read(_ text: String) -> (scheme: String, host: String, port: String, hasCredentials: Bool)? {
        guard let url = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(url) }
        let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
        guard unsafe curl_url_set(url, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
        func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(url, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text else { return nil }
            defer { unsafe curl_free(text) }
            return unsafe String(cString: text)
        }
        guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
            let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT)
        else { return nil }
        return (scheme, host.lowercased(), port, part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil)
    }

    @Test func libcurlParsesTheSameHost() {
        var random = SeededGenerator(seed: 7)
        var readByBoth = 0
        for _ in 0..<30_000 {
            let url = (0..<Int.random(in: 1...6, using: &random)).reduce("http://") { text, _ in
                text + (Self.pieces.randomElement(using: &random) ?? "")
            }
            guard let address = try? WebAddress(url), let known = read(address.text) else { continue }
            readByBoth += 1
            #expect(known.scheme == address.origin.scheme && known.port == "\(address.origin.port)", "\(url)")
            #expect(!known.hasCredentials, "\(url)")
            // libcurl expands short forms of addresses, such as 127.1; the policy checks the connected address anyway.
            let isSpelledOut = address.origin.host.first?.isNumber == true && IPAddress(known.host) != nil
            #expect(known.host == address.origin.host || isSpelledOut, "\(url)")
        }
        #expect(readByBoth > 1_000)
    }
}
