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
    func secretsAreLeftOutAndTheRestStays(url: String, expected: String) throws {
        let source = ImageSource.url(try #require(URL(string: url)))
        #expect(URLRedaction.text(of: source, hidesQueries: true) == expected)
    }

    @Test func valuesOfAQueryStayWhereTheyAreWanted() throws {
        let source = ImageSource.url(try #require(URL(string: "https://user:secret@example.org/a?w=320#secret")))
        #expect(URLRedaction.text(of: source, hidesQueries: false) == "https://example.org/a?w=320")
    }
}
