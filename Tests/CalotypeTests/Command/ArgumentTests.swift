import ImageCore
import Testing

@testable import CalotypeCommand

@Suite("The command's arguments")
struct ArgumentTests {
    @Test(arguments: [
        ("photo.jpg", "photo.jpg", "photo"), ("a b#c?.png", "a b#c?.png", "a b#c?"), ("C:\\x.png", "C:\\x.png", "C:\\x"),
        ("http", "http", "http"), ("files:/x.png", "files:/x.png", "x"), ("é://x.png", "é://x.png", "x"),
        ("../.hidden", "../.hidden", "hidden"),
    ])
    func anArgumentWithoutASchemeIsAPath(_ text: String, _ path: String, _ stem: String) throws {
        let source = try SourceArgument(text)
        #expect(source.path == text)
        #expect(source.url.isFileURL)
        #expect(source.url.path.hasSuffix(path.drop { ".".contains($0) || $0 == "/" }))
        #expect(source.stem == stem)
        #expect(source.displayName == text)
    }

    @Test(arguments: [
        ("http://example.org/a/cat.jpg?x=1", "http", "cat"), ("FILE:///tmp/a.png", "file", "a"),
        ("data:image/png;base64,AAAA", "data", "data"), ("https://example.org/", "https", "image"),
        ("s3://bucket/key.webp", "s3", "key"), ("https://example.org/..%2F..%2Fetc%2Fpasswd", "https", "_.._etc_passwd"),
    ])
    func anArgumentWithASchemeIsAURL(_ text: String, _ scheme: String, _ stem: String) throws {
        let source = try SourceArgument(text)
        #expect(source.path == nil)
        #expect(source.url.scheme?.lowercased() == scheme)
        #expect(source.stem == stem)
    }

    /// A URL may be copied from a page or a log, encoded or not.
    @Test(arguments: [
        ("https://example.org/a?b[]=1&sig=%2f", "https://example.org/a?b%5B%5D=1&sig=%2f"),
        ("https://example.org/a b%20c?x=100%", "https://example.org/a%20b%20c?x=100%25"),
        ("https://example.org/caf\u{E9}.png", "https://example.org/caf%C3%A9.png"),
    ])
    func aURLIsEncodedOnlyWhereItMustBe(_ text: String, _ expected: String) throws {
        #expect(try SourceArgument(text).url.absoluteString == expected)
    }

    @Test func theDisplayNameHasNoCredentialsAndNoLongData() throws {
        #expect(try SourceArgument("https://me:secret@example.org/a.png").displayName == "https://example.org/a.png")
        let data = try SourceArgument("data:image/png;base64," + String(repeating: "A", count: 1000))
        #expect(data.displayName.count == 40)
    }

    @Test(arguments: [
        ("https://me:secret@example.org/a@b?c@d", "https://example.org/a@b?c@d"),
        ("https://me:secret@exa mple.org/a.png", "https://exa mple.org/a.png"),
        ("http://me:se/cret@[::1/a.png", "http://[::1/a.png"), ("a@b.png", "a@b.png"), ("http://[::1/a", "http://[::1/a"),
    ])
    func theDisplayNameOfAnInvalidURLHasNoCredentials(_ text: String, _ name: String) {
        #expect(SourceArgument.displayName(of: text) == name)
    }

    @Test func anEmptyPathIsAnError() {
        #expect(throws: ImageError.self) { try SourceArgument("") }
    }

    @Test(arguments: [
        ("photo.JPG", "jpeg"), ("a.b/photo.jpeg", "jpeg"), ("x.png", "png"), ("x.tar.rgba", "rgba"), ("noextension", nil),
        ("a.png/photo", nil), (".png", nil), ("photo.", nil),
    ])
    func theExtensionOfAFileNameDecidesTheFormat(_ name: String, _ format: String?) {
        #expect(ImageFormat(fileName: name)?.rawValue == format)
    }
}

@Suite("Completeness of files")
struct FileCompletenessTests {
    private static let files: [(String, ImageFormat)] = [
        ("dunes.jpg", .jpeg), ("arrow.jpg", .jpeg), ("chart.png", .png), ("iris16.png", .png), ("tiles.webp", .webp),
        ("glass.webp", .webp), ("nebula.avif", .avif), ("plasma10.avif", .avif),
    ]

    @Test(arguments: files)
    func aCompleteFilePassesAndATruncatedOneFails(_ name: String, _ format: ImageFormat) throws {
        let data = try Project.bytes(of: name)
        try FileCompleteness.check(data, format: format)
        try FileCompleteness.check(data + Data([0, 0, 0]), format: format)
        for length in Array(stride(from: 0, to: data.count, by: 97)) + [data.count - 1] where length > 24 {
            #expect(throws: ImageError.self, "\(length) of \(data.count)") {
                try FileCompleteness.check(data.prefix(length), format: format)
            }
        }
    }

    @Test func aGIFIsCompleteAfterItsLastBlockEvenWithoutATrailer() throws {
        // One pixel: header, screen, an image of one sub-block.
        let blocks: [UInt8] = [
            0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255,
            0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0,
        ]
        try FileCompleteness.check(Data(blocks), format: .gif)
        try FileCompleteness.check(Data(blocks + [0x3B]), format: .gif)
        for length in 19..<blocks.count where length != 19 {
            #expect(throws: ImageError.self, "\(length)") {
                try FileCompleteness.check(Data(blocks.prefix(length)), format: .gif)
            }
        }
    }

    @Test func otherFormatsPass() throws {
        try FileCompleteness.check(Data([1]), format: ImageFormat(rawValue: "other"))
    }
}
