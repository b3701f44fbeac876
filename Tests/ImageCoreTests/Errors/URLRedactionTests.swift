import ImageCore
import Testing

@Suite struct RedactingURLs {
    @Test(arguments: [
        ("https://example.org/a.jpg", "https://example.org/a.jpg"),
        ("https://user:secret@example.org/a.jpg", "https://example.org/a.jpg"),
        ("https://example.org/a?w=320&token=secret", "https://example.org/a?w=...&token=..."),
        ("https://example.org/a?secret", "https://example.org/a?..."),
        ("https://example.org/a?", "https://example.org/a?"),
        ("https://example.org/a#secret", "https://example.org/a"),
        ("https://example.org/a?x=1#secret", "https://example.org/a?x=..."),
        ("data:image/png;base64,AA?==", "data:image/png;base64,AA?=="),
    ])
    func secretsAreRemovedAndTheRestIsUnchanged(url: String, expected: String) throws {
        let source = ImageSource.url(try #require(URL(string: url)))
        #expect(URLRedaction.text(of: source, hidesQueries: true) == expected)
    }

    @Test func queryValuesStayOnRequest() throws {
        let source = ImageSource.url(try #require(URL(string: "https://user:secret@example.org/a?w=320#secret")))
        #expect(URLRedaction.text(of: source, hidesQueries: false) == "https://example.org/a?w=320")
    }

    @Test(arguments: [
        ("no URL at all: a?b=c, x@y #1", "no URL at all: a?b=c, x@y #1"),
        ("lost http://user:secret@example.org/a?token=secret at byte 7", "lost http://example.org/a?token=... at byte 7"),
        ("URL=https://example.org/a?secret#secret, then ftp://secret@b/c", "URL=https://example.org/a?... then ftp://b/c"),
        ("<https://example.org/?a=secret&b=secret>", "<https://example.org/?a=...&b=...>"),
        (
            "\"https://example.org/a#secret\" and 'https://secret@example.org'",
            "\"https://example.org/a\" and 'https://example.org'"
        ),
        ("https://example.org?secret", "https://example.org?..."),
        ("://?", "://?"),
    ])
    func secretsAreRemovedFromURLsInMessages(message: String, expected: String) {
        #expect(URLRedaction.text(in: message) == expected)
        let error = ImageError.wrapping(PlugInError(description: message), stage: .network, source: nil)
        #expect(error.causes == [expected])
    }

    private struct PlugInError: Error, CustomStringConvertible {
        let description: String
    }
}
