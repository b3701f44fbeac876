import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// The decisions about finished images (FEATURES 5.8), as values. The engine's use of them is tested with the standard
/// wiring.
@Suite("HTTPImageRules") struct HTTPImageRulesTests {
    private let rules = HTTPImageRules(cache: HTTPCache(store: LoggedDataCache(), now: { Wire.start }))
    private static let image = DataEntry(
        data: Data([1, 2, 3]), head: HTTPResponse(status: .ok, headerFields: [.contentType: "image/png"]), storedAt: 0)
    private static let tagged = ["Cache-Control: max-age=60", "ETag: \"a\""]

    private func source(_ lines: [String], status: Int = 200, url: URL = Wire.url) -> ResponseHead {
        ResponseHead(url: url, head: Wire.head(lines, status: status), receivedAt: Wire.start)
    }

    private func entry(_ lines: [String], to request: [String] = []) throws -> DataEntry {
        try #require(rules.entry(for: Self.image, madeFrom: source(lines), to: Wire.request(request)))
    }

    @Test func anEntryHasTheImageWithTheHeadersOfItsOriginal() throws {
        let entry = try entry(Self.tagged + ["Content-Type: image/jpeg", "Content-Length: 9000", "Content-Encoding: gzip"])
        #expect(entry.data == Self.image.data)
        let fields = entry.head.headerFields
        #expect(fields[.contentType] == "image/png" && fields[.eTag] == "\"a\"")
        #expect(!fields.contains(.contentLength) && !fields.contains(.contentEncoding))
        #expect(rules.use(of: entry, for: Wire.request()) == .serve)
    }

    @Test("RFC 9111 §4.1 an image is used only for requests that match Vary")
    func anImageIsNotUsedForAnotherVariant() throws {
        let entry = try entry(Self.tagged + ["Vary: Foo"], to: ["Foo: 1"])
        #expect(rules.use(of: entry, for: Wire.request(["Foo: 1"])) == .serve)
        #expect(rules.use(of: entry, for: Wire.request(["Foo: 2"])) == .none)
    }

    @Test(arguments: ["Range: bytes=0-4", "If-None-Match: \"a\"", "If-Modified-Since: {0}"])
    func aRequestForAPartOrWithPreconditionsHasNoFinishedImage(_ line: String) throws {
        #expect(rules.entry(for: Self.image, madeFrom: source(Self.tagged), to: Wire.request([line])) == nil)
        #expect(rules.use(of: try entry(Self.tagged), for: Wire.request([line])) == .none)
    }

    @Test("RFC 9111 §4.3.4 a 304 confirms an image of the same version that came the same way, and may still be stored")
    func a304ConfirmsAnImage() throws {
        let entry = try entry(Self.tagged)
        func confirmed(_ lines: [String], url: URL = Wire.url) -> DataEntry? {
            rules.confirmed(entry, by: source(lines, status: 304, url: url), to: Wire.request())
        }
        #expect(confirmed(Self.tagged)?.data == Self.image.data)
        #expect(confirmed(["ETag: \"b\""]) == nil)
        #expect(confirmed(Self.tagged, url: URL(string: "https://example.org/other")!) == nil)
        #expect(confirmed(["Cache-Control: no-store", "ETag: \"a\""]) == nil)
    }

    @Test("RFC 9111 §4.2.4 a stale image is used after a failure unless its server forbids that")
    func aStaleImageIsUsedAfterAFailure() throws {
        func isUsed(_ lines: [String], _ error: ImageError) throws -> Bool {
            rules.allowsStaleUse(of: try entry(lines), for: Wire.request(), after: error)
        }
        let offline = ImageError(.hostNotFound, message: "No.")
        #expect(try isUsed(Self.tagged, offline))
        #expect(try !isUsed(["Cache-Control: max-age=60, must-revalidate", "ETag: \"a\""], offline))
        let busy = ImageError(.httpStatus, message: "Busy.", status: 503)
        #expect(try !isUsed(Self.tagged, busy))
        #expect(try isUsed(["Cache-Control: max-age=60, stale-if-error=60", "ETag: \"a\""], busy))
        #expect(try !isUsed(Self.tagged, ImageError(.corrupt, message: "Damaged.")))
    }
}
