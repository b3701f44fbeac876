import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Which fields are stored.
@Suite("HTTP stored fields") struct HTTPStoredFields {
    @Test(
        "RFC 9111 §3.1 fields of one connection are dropped",
        arguments: [
            "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
            "Proxy-Authorization",
            "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Calotype-Stored",
        ])
    func connectionFieldsAreNotStored(_ name: String) {
        let stored = Wire.stored(["Cache-Control: max-age=60", "\(name): x", "Other: 1"])
        #expect(!stored.head.headerFields.contains(HTTPField.Name(name)!))
        #expect(stored.head.headerFields.contains(HTTPField.Name("Other")!))
    }

    @Test(
        "RFC 9111 §3.1 all others are kept",
        arguments: [
            "Test-Header", "X-Test-Header", "Content-Type", "Content-Encoding", "Content-Length", "Content-Location", "ETag",
            "Expires",
            "Set-Cookie", "Strict-Transport-Security", "WWW-Authenticate", "X-Frame-Options", "X-XSS-Protection",
            "Clear-Site-Data",
        ])
    func otherFieldsAreStored(_ name: String) {
        #expect(Wire.stored(["\(name): x"]).head.headerFields[HTTPField.Name(name)!] == "x")
    }

    @Test("RFC 9110 §7.6.1 fields listed by Connection are not stored")
    func fieldsListedByConnectionAreNotStored() {
        let stored = Wire.stored(["Connection: a, B", "A: 1", "b: 2", "c: 3"])
        #expect(stored.head.headerFields.map(\.name.canonicalName).sorted() == ["c", "date"])
    }

    @Test("RFC 9111 §5.2.2.4 fields listed by no-cache are not stored")
    func fieldsListedByNoCacheAreNotStored() {
        let stored = Wire.stored(["Cache-Control: no-cache=\"a, B\"", "Cache-Control: max-age=9", "A: 1", "b: 2", "c: 3"])
        #expect(stored.head.headerFields.map(\.name.canonicalName).sorted() == ["c", "cache-control", "cache-control", "date"])
    }
}
