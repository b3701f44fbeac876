import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Which stored response matches a request, and which of its bytes are served.
@Suite("HTTP variants and ranges") struct HTTPMatching {
    private static let fresh = ["Cache-Control: max-age=3600"]

    static func vary(_ rule: String, _ vary: [String], first: [String], asking: [String], _ verdict: Row.Verdict) -> Row {
        Row(rule, fresh + vary, asking: asking, first: first, verdict)
    }

    static let variants: [Row] = [
        vary("RFC 9111 §4.1 the same value", ["Vary: Foo"], first: ["Foo: 1"], asking: ["Foo: 1"], .serve(0)),
        vary("RFC 9111 §4.1 another value", ["Vary: Foo"], first: ["Foo: 1"], asking: ["Foo: 2"], .fetch),
        vary("RFC 9111 §4.1 a value in another case", ["Vary: Foo"], first: ["Foo: a"], asking: ["Foo: A"], .fetch),
        vary("RFC 9111 §4.1 a name in another case", ["Vary: fOO"], first: ["Foo: 1"], asking: ["foo: 1"], .serve(0)),
        vary("RFC 9111 §4.1 now absent", ["Vary: Foo"], first: ["Foo: 1"], asking: [], .fetch),
        vary("RFC 9111 §4.1 absent before", ["Vary: Foo"], first: [], asking: ["Foo: 1"], .fetch),
        vary("RFC 9111 §4.1 absent both times", ["Vary: Foo"], first: [], asking: [], .serve(0)),
        vary("RFC 9111 §4.1 empty is not absent", ["Vary: Foo"], first: ["Foo:"], asking: [], .fetch),
        vary(
            "RFC 9111 §4.1 fields that are not listed", ["Vary: Foo"], first: ["Foo: 1", "Bar: 2"], asking: ["Foo: 1", "Bar: 3"],
            .serve(0)),
        vary(
            "RFC 9111 §4.1 two fields, both the same", ["Vary: Foo, Bar"], first: ["Foo: 1", "Bar: a"],
            asking: ["Bar: a", "Foo: 1"], .serve(0)),
        vary(
            "RFC 9111 §4.1 two fields, one differs", ["Vary: Foo, Bar"], first: ["Foo: 1", "Bar: a"],
            asking: ["Foo: 2", "Bar: a"], .fetch),
        vary(
            "RFC 9111 §4.1 two fields, one now absent", ["Vary: Foo, Bar"], first: ["Foo: 1", "Bar: a"], asking: ["Foo: 1"],
            .fetch),
        vary(
            "RFC 9111 §4.1 two fields that exchange their values", ["Vary: Foo, Bar"], first: ["Foo: 1", "Bar: 2"],
            asking: ["Foo: 2", "Bar: 1"], .fetch),
        vary(
            "RFC 9111 §4.1 three fields, one absent both times", ["Vary: Foo, Bar, Baz"], first: ["Foo: 1", "Baz: 7"],
            asking: ["Foo: 1", "Baz: 7"], .serve(0)),
        vary(
            "RFC 9111 §4.1 Vary on two lines", ["Vary: Foo", "Vary: Bar"], first: ["Foo: 1", "Bar: 2"],
            asking: ["Foo: 1", "Bar: 3"], .fetch),
        vary("RFC 9111 §4.1 a name listed twice", ["Vary: Foo, foo"], first: ["Foo: 1"], asking: ["Foo: 1"], .serve(0)),
        vary("RFC 9111 §4.1 an empty Vary", ["Vary:"], first: ["Foo: 1"], asking: ["Foo: 2"], .serve(0)),
        vary("RFC 9111 §4.1 Vary with empty members", ["Vary: , Foo ,"], first: ["Foo: 1"], asking: ["Foo: 2"], .fetch),
        vary("RFC 9111 §4.1 a name that no field can have", ["Vary: a b"], first: [], asking: ["Foo: 1"], .serve(0)),
        vary("RFC 9111 §4.1 * answers nothing", ["Vary: *"], first: ["Foo: 1"], asking: ["Foo: 1"], .notKept),
        vary("RFC 9111 §4.1 *, *", ["Vary: *, *"], first: [], asking: [], .notKept),
        vary("RFC 9111 §4.1 * on two lines", ["Vary: *", "Vary: *"], first: [], asking: [], .notKept),
        vary("RFC 9111 §4.1 , *", ["Vary: , *"], first: [], asking: [], .notKept),
        vary("RFC 9111 §4.1 an empty line, then *", ["Vary:", "Vary: *"], first: [], asking: [], .notKept),
        vary("RFC 9111 §4.1 *, Foo", ["Vary: *, Foo"], first: ["Foo: 1"], asking: ["Foo: 1"], .notKept),
        vary("RFC 9111 §4.1 Foo, *", ["Vary: Foo, *"], first: ["Foo: 1"], asking: ["Foo: 1"], .notKept),
        vary(
            "RFC 9111 §4.1 space round commas is nothing", ["Vary: Foo"], first: ["Foo: 1,2"], asking: ["Foo:  1, 2 "], .serve(0)),
        vary("RFC 9111 §4.1 lines are joined", ["Vary: Foo"], first: ["Foo: 1, 2"], asking: ["Foo: 1", "Foo: 2"], .serve(0)),
        vary("RFC 9111 §4.1 order of members counts", ["Vary: Foo"], first: ["Foo: 1, 2"], asking: ["Foo: 2, 1"], .fetch),
        vary(
            "RFC 9111 §4.1 languages in another order", ["Vary: Accept-Language"], first: ["Accept-Language: en, de"],
            asking: ["Accept-Language: de, en"], .serve(0)),
        vary(
            "RFC 9111 §4.1 languages in another case", ["Vary: Accept-Language"], first: ["Accept-Language: en, de"],
            asking: ["Accept-Language: eN, De"], .serve(0)),
        vary(
            "RFC 9111 §4.1 languages with other space", ["Vary: Accept-Language"], first: ["Accept-Language: en;q=0.5, de"],
            asking: ["Accept-Language: en; q=0.5,de"], .serve(0)),
        vary(
            "RFC 9111 §4.1 languages with other weights", ["Vary: Accept-Language"], first: ["Accept-Language: en;q=0.5, de"],
            asking: ["Accept-Language: en, de;q=0.5"], .fetch),
        vary(
            "RFC 9111 §4.1 lists that would read the same joined up", ["Vary: A, B"], first: ["A: 1;b=2", "B: 3"],
            asking: ["A: 1", "B: 2;b=3"], .fetch),
    ]

    @Test(arguments: variants) func fieldsListedByVaryMustMatch(_ row: Row) { #expect(row.outcome == row.verdict) }

    // MARK: Ranges

    struct RangeRow: Sendable, CustomTestStringConvertible {
        var rule: String
        var range: String
        /// The range in a body of ten bytes; `nil` if the request must be sent.
        var bytes: Range<Int>?
        var testDescription: String { rule }
    }

    static let ofWhole: [RangeRow] = [
        RangeRow(rule: "RFC 9110 §14.1.2 first and last", range: "bytes=2-5", bytes: 2..<6),
        RangeRow(rule: "RFC 9110 §14.1.2 one byte", range: "bytes=0-0", bytes: 0..<1),
        RangeRow(rule: "RFC 9110 §14.1.2 without a last", range: "bytes=4-", bytes: 4..<10),
        RangeRow(rule: "RFC 9110 §14.1.2 the last three", range: "bytes=-3", bytes: 7..<10),
        RangeRow(rule: "RFC 9110 §14.1.2 more last ones than there are", range: "bytes=-30", bytes: 0..<10),
        RangeRow(rule: "RFC 9110 §14.1.2 a last beyond the end", range: "bytes=8-99", bytes: 8..<10),
        RangeRow(rule: "RFC 9110 §14.1.2 the unit in any case", range: "Bytes=2-5", bytes: 2..<6),
        RangeRow(rule: "RFC 9110 §14.1.2 a last without end", range: "bytes=0-9223372036854775807", bytes: 0..<10),
        RangeRow(rule: "RFC 9110 §14.1.2 a first beyond the end", range: "bytes=10-", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.1.2 the last none", range: "bytes=-0", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.1.2 last before first", range: "bytes=5-2", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.2 several ranges", range: "bytes=0-1,4-5", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.2 another unit", range: "lines=0-1", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.2 no range", range: "bytes=", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.2 only a dash", range: "bytes=-", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.2 numbers beyond 64 bits", range: "bytes=99999999999999999999-", bytes: nil),
        RangeRow(rule: "RFC 9110 §14.2 negative numbers", range: "bytes=--5", bytes: nil),
    ]

    /// Requests for a part with the bytes 4 to 8 of ten.
    static let ofPart: [RangeRow] = [
        RangeRow(rule: "RFC 9111 §3.3 the same part", range: "bytes=4-8", bytes: 4..<9),
        RangeRow(rule: "RFC 9111 §3.3 inside of the part", range: "bytes=5-7", bytes: 5..<8),
        RangeRow(rule: "RFC 9111 §3.3 begins before it", range: "bytes=3-7", bytes: nil),
        RangeRow(rule: "RFC 9111 §3.3 ends after it", range: "bytes=5-9", bytes: nil),
        RangeRow(rule: "RFC 9111 §3.3 to the end, which it has not", range: "bytes=5-", bytes: nil),
        RangeRow(rule: "RFC 9111 §3.3 the last, which it has not", range: "bytes=-1", bytes: nil),
    ]

    private func served(_ stored: StoredResponse, _ request: DataRequest) -> HTTPCacheReply? {
        if case .serve(let reply) = HTTPCachePolicy.standard.decision(for: request, stored: stored, now: Wire.start) {
            reply
        } else {
            nil
        }
    }

    @Test(arguments: ofWhole) func aRangeIsServedFromAWholeBody(_ row: RangeRow) {
        let reply = served(Wire.stored(Self.fresh + ["Content-Length: 10"]), Wire.request(["Range: \(row.range)"]))
        #expect(reply?.bytes == row.bytes)
        guard let bytes = row.bytes else { return }
        #expect(reply?.head.status == .partialContent)
        #expect(reply?.head.headerFields[.contentRange] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/10")
        #expect(reply?.head.headerFields[.contentLength] == "\(bytes.count)")
    }

    @Test(arguments: ofPart) func aRangeIsServedFromAPart(_ row: RangeRow) {
        let part = Wire.stored(Self.fresh + ["Content-Range: bytes 4-8/10", "Content-Length: 5"], status: 206, bytes: 5)
        #expect(HTTPCachePolicy.standard.allowsStoring(part, for: Wire.request(["Range: bytes=4-8"])))
        let reply = served(part, Wire.request(["Range: \(row.range)"]))
        #expect(reply?.bytes == row.bytes.map { $0.lowerBound - 4..<$0.upperBound - 4 })
        guard let bytes = row.bytes else { return }
        #expect(reply?.head.headerFields[.contentRange] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/10")
    }

    @Test("RFC 9111 §3.3 a suffix range is served from the end of a body")
    func aSuffixRangeIsServedFromTheEndOfABody() {
        let part = Wire.stored(Self.fresh + ["Content-Range: bytes 5-9/10"], status: 206, bytes: 5)
        #expect(served(part, Wire.request(["Range: bytes=-1"]))?.bytes == 4..<5)
        #expect(served(part, Wire.request(["Range: bytes=6-"]))?.bytes == 1..<5)
    }

    @Test("RFC 9111 §3.3 a part of unknown total length serves its bytes")
    func aPartOfUnknownLength() {
        let part = Wire.stored(Self.fresh + ["Content-Range: bytes 5-9/*"], status: 206, bytes: 5)
        #expect(served(part, Wire.request(["Range: bytes=6-7"]))?.head.headerFields[.contentRange] == "bytes 6-7/*")
        #expect(served(part, Wire.request(["Range: bytes=6-"])) == nil)
        #expect(served(part, Wire.request(["Range: bytes=-1"])) == nil)
        #expect(served(part, Wire.request()) == nil)
    }

    @Test(
        "RFC 9110 §14.4 a part that does not say which is not kept",
        arguments: [
            "", "bytes", "bytes 0-4", "bytes 4-0/10", "bytes 0-10/10", "bytes */10", "lines 0-4/10", "bytes 0-4/x",
            "bytes 0-9223372036854775807/*", "bytes -4/10",
        ])
    func partsWithoutAValidRangeAreNotStored(_ range: String) {
        let part = Wire.stored(Self.fresh + (range.isEmpty ? [] : ["Content-Range: \(range)"]), status: 206, bytes: 5)
        #expect(!HTTPCachePolicy.standard.allowsStoring(part, for: Wire.request(["Range: bytes=0-4"])))
    }

    @Test("RFC 9110 §13.1.5 If-Range allows a range of the same version only")
    func ifRangeMustMatchTheVersion() {
        let stored = Wire.stored(Self.fresh + ["ETag: \"a\"", "Last-Modified: {-100}"])
        #expect(served(stored, Wire.request(["Range: bytes=0-1", "If-Range: \"a\""]))?.bytes == 0..<2)
        #expect(served(stored, Wire.request(["Range: bytes=0-1", "If-Range: \"b\""]))?.bytes == 0..<10)
        #expect(served(stored, Wire.request(["Range: bytes=0-1", "If-Range: \"b\""]))?.head.status == .ok)
        let weak = Wire.stored(Self.fresh + ["ETag: W/\"a\""])
        #expect(served(weak, Wire.request(["Range: bytes=0-1", "If-Range: W/\"a\""]))?.bytes == 0..<10)
        let dated = Wire.stored(Self.fresh + ["Last-Modified: {-100}"])
        #expect(served(dated, Wire.request(["Range: bytes=0-1", "If-Range: {-100}"]))?.bytes == 0..<2)
        #expect(served(dated, Wire.request(["Range: bytes=0-1", "If-Range: {-99}"]))?.bytes == 0..<10)
    }

    @Test("RFC 9110 §14.2 a range is ignored for statuses other than 200")
    func rangesApplyOnlyToStatus200() {
        let gone = Wire.stored(Self.fresh, status: 404)
        let reply = served(gone, Wire.request(["Range: bytes=0-1"]))
        #expect(reply?.head.status == .notFound && reply?.bytes == 0..<10)
    }

    @Test("RFC 9110 §9.3.2 HEAD is served from a stored GET, without the body")
    func headIsServedFromAStoredGet() {
        var request = Wire.request()
        request.method = .head
        let reply = served(Wire.stored(Self.fresh + ["Content-Length: 10"]), request)
        #expect(reply?.bytes == 0..<0)
        #expect(reply?.head.headerFields[.contentLength] == "10")
        let stale = Wire.stored(["Cache-Control: max-age=0", "ETag: \"a\""])
        #expect(HTTPCachePolicy.standard.decision(for: request, stored: stale, now: Wire.start) == .fetch)
        let part = Wire.stored(Self.fresh + ["Content-Range: bytes 0-4/10"], status: 206, bytes: 5)
        #expect(served(part, request) == nil)
    }

    @Test(
        "RFC 9110 §9.3 other methods are not answered",
        arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "M-SEARCH"])
    func otherMethodsAreNotServed(_ method: String) throws {
        var request = Wire.request()
        request.method = try #require(HTTPRequest.Method(method))
        let stored = Wire.stored(Self.fresh)
        #expect(HTTPCachePolicy.standard.decision(for: request, stored: stored, now: Wire.start) == .fetch)
        #expect(!HTTPCachePolicy.standard.allowsStoring(stored, for: request))
    }

    @Test("RFC 9110 §9.3.1 a GET with a body is not served")
    func aGetWithABodyIsNotServed() {
        var request = Wire.request()
        request.body = Data([1])
        #expect(HTTPCachePolicy.standard.decision(for: request, stored: Wire.stored(Self.fresh), now: Wire.start) == .fetch)
        #expect(!HTTPCachePolicy.standard.allowsStoring(Wire.stored(Self.fresh), for: request))
    }
}
