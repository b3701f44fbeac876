import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Which stored response matches a request.
@Suite("HTTP matching") struct HTTPMatching {
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

    // MARK: Ranges and preconditions

    private static let conditions = [
        "Range: bytes=0-1", "If-Range: \"a\"", "If-Match: \"a\"", "If-None-Match: \"a\"", "If-Modified-Since: {0}",
        "If-Unmodified-Since: {0}",
    ]

    @Test("RFC 9110 §13 and §14 a range and preconditions of the caller are for the server", arguments: conditions)
    func conditionalRequestsAreLeftToTheServer(_ line: String) {
        let stored = Wire.stored(Self.fresh + ["ETag: \"a\""])
        let request = Wire.request([line])
        #expect(HTTPCachePolicy.standard.decision(for: request, stored: stored, now: Wire.start) == .fetch)
        #expect(
            HTTPCachePolicy.standard.staleReply(for: request, stored: stored, after: .unreachable, now: Wire.start + 9000) == nil)
        #expect(HTTPCachePolicy.standard.allowsStoring(stored, for: request), "A 200 answers any request.")
        for status in [206, 304, 404, 412, 416] {
            #expect(!HTTPCachePolicy.standard.allowsStoring(Wire.stored(Self.fresh, status: status), for: request), "\(status)")
        }
    }

    @Test("RFC 9111 §3.3 a part is never stored", arguments: [[], ["Content-Range: bytes 0-9/10", "Content-Length: 10"]])
    func aPartIsNotStored(_ lines: [String]) {
        let part = Wire.stored(Self.fresh + lines, status: 206)
        #expect(!HTTPCachePolicy.standard.allowsStoring(part, for: Wire.request()))
        #expect(!HTTPCachePolicy.aggressive.allowsStoring(part, for: Wire.request()))
        #expect(!part.isWhole(byteCount: 10))
    }

    private func served(_ stored: StoredResponse, _ request: DataRequest) -> HTTPCacheReply? {
        if case .serve(let reply) = HTTPCachePolicy.standard.decision(for: request, stored: stored, now: Wire.start) {
            reply
        } else {
            nil
        }
    }

    @Test("RFC 9110 §9.3.2 HEAD is served from a stored GET, without the body")
    func headIsServedFromAStoredGet() {
        var request = Wire.request()
        request.method = .head
        let reply = served(Wire.stored(Self.fresh + ["Content-Length: 10"]), request)
        #expect(reply?.head.headerFields[.contentLength] == "10")
        let stale = Wire.stored(["Cache-Control: max-age=0", "ETag: \"a\""])
        #expect(HTTPCachePolicy.standard.decision(for: request, stored: stale, now: Wire.start) == .fetch)
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
