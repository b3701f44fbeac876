import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Validation requests, and how the responses update what is stored.
@Suite("HTTP validation") struct HTTPValidation {
    private static let stale = ["Cache-Control: max-age=0"]

    private func validationRequest(_ stored: [String], status: Int = 200, _ request: [String] = [], bytes: Int = 10)
        -> HTTPCacheValidation?
    {
        let response = Wire.stored(stored, status: status, bytes: bytes)
        let decision = HTTPCachePolicy.standard.decision(for: Wire.request(request), stored: response, now: Wire.start + 10)
        if case .revalidate(let validation) = decision { return validation }
        return nil
    }

    @Test(
        "RFC 9111 §4.3.1 the stored ETag is asked about as it stands",
        arguments: ["\"abc\"", "W/\"abc\"", "abc", "\"a,b\"", "\"\"", "\"\u{e9}\""])
    func theStoredTagIsSent(_ tag: String) {
        let validation = validationRequest(Self.stale + ["ETag: \(tag)"])
        #expect(validation?.kind == .conditional)
        #expect(validation?.headerFields[.ifNoneMatch] == tag)
        #expect(validation?.headerFields.contains(.ifModifiedSince) == false)
    }

    @Test("RFC 9111 §4.3.1 Last-Modified is sent, alone or with the ETag")
    func lastModifiedIsSent() {
        let alone = validationRequest(Self.stale + ["Last-Modified: {-100}"])
        #expect(alone?.headerFields[.ifModifiedSince] == Wire.date(Wire.start - 100))
        let both = validationRequest(Self.stale + ["Last-Modified: {-100}", "ETag: \"a\""])
        #expect(both?.headerFields[.ifModifiedSince] == Wire.date(Wire.start - 100))
        #expect(both?.headerFields[.ifNoneMatch] == "\"a\"")
    }

    @Test("RFC 9111 §4.3.1 the fields of the request are sent, including those of Vary")
    func theFieldsOfTheRequestAreSent() {
        let response = Wire.stored(Self.stale + ["ETag: \"a\"", "Vary: Foo"], to: ["Foo: 1"])
        let request = Wire.request(["Foo: 1", "Accept: image/png", "Authorization: Bearer 1"])
        guard
            case .revalidate(let validation) = HTTPCachePolicy.standard.decision(
                for: request, stored: response, now: Wire.start)
        else { Issue.record("It must be validated."); return }
        #expect(
            validation.headerFields
                == Wire.fields(["Foo: 1", "Accept: image/png", "Authorization: Bearer 1", "If-None-Match: \"a\""]))
    }

    @Test("RFC 9111 §4.1 the response of another variant is not the one that is validated")
    func anotherVariantIsNotValidated() {
        let response = Wire.stored(["Cache-Control: max-age=60", "ETag: \"a\"", "Vary: Foo"], to: ["Foo: 1"])
        #expect(HTTPCachePolicy.standard.decision(for: Wire.request(["Foo: 2"]), stored: response, now: Wire.start) == .fetch)
    }

    @Test("RFC 9111 §4.3.1 a response without a validator is not validated")
    func aResponseWithoutAValidatorIsNotValidated() { #expect(validationRequest(Self.stale) == nil) }

    @Test("RFC 9110 §13.2.1 a 304 confirms only a success: other responses are not validated", arguments: [301, 404, 500])
    func onlySuccessfulResponsesAreValidated(_ status: Int) {
        #expect(validationRequest(Self.stale + ["ETag: \"a\""], status: status) == nil)
    }

    // MARK: Preconditions of the request

    struct Condition: Sendable, CustomTestStringConvertible {
        var rule: String
        var stored: [String]
        var request: [String]
        var isUnmodified: Bool
        var testDescription: String { rule }
    }

    private static let conditions: [Condition] = [
        Condition(
            rule: "RFC 9110 §13.1.2 the same strong tag", stored: ["ETag: \"a\""], request: ["If-None-Match: \"a\""],
            isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.2 another tag", stored: ["ETag: \"a\""], request: ["If-None-Match: \"b\""], isUnmodified: false),
        Condition(
            rule: "RFC 9110 §13.1.2 the same weak tag", stored: ["ETag: W/\"a\""], request: ["If-None-Match: W/\"a\""],
            isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.2 tags are compared weakly", stored: ["ETag: \"a\""], request: ["If-None-Match: W/\"a\""],
            isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.2 the first of several", stored: ["ETag: \"a\""],
            request: ["If-None-Match: \"a\", \"b\", \"c\""], isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.2 one amid several", stored: ["ETag: \"b\""], request: ["If-None-Match: \"a\", \"b\", \"c\""],
            isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.2 the last of several", stored: ["ETag: \"c\""],
            request: ["If-None-Match: \"a\", \"b\", \"c\""], isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.2 on the second line", stored: ["ETag: \"b\""],
            request: ["If-None-Match: \"a\"", "If-None-Match: \"b\""], isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.2 a comma in a tag", stored: ["ETag: \"b\""], request: ["If-None-Match: \"a, b\""],
            isUnmodified: false),
        Condition(rule: "RFC 9110 §13.1.2 any tag", stored: ["ETag: \"a\""], request: ["If-None-Match: *"], isUnmodified: true),
        Condition(rule: "RFC 9110 §13.1.2 no tag stored", stored: [], request: ["If-None-Match: \"a\""], isUnmodified: false),
        Condition(
            rule: "RFC 9110 §13.1.2 a tag without quotes", stored: ["ETag: \"a\""], request: ["If-None-Match: a"],
            isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.3 the same date", stored: ["Last-Modified: {-3000}"], request: ["If-Modified-Since: {-3000}"],
            isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.3 a later date", stored: ["Last-Modified: {-3000}"], request: ["If-Modified-Since: {-2000}"],
            isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.3 an earlier date", stored: ["Last-Modified: {-3000}"], request: ["If-Modified-Since: {-3001}"],
            isUnmodified: false),
        Condition(
            rule: "RFC 9110 §13.1.3 the date in RFC 850 form", stored: ["Last-Modified: {-3000}"],
            request: ["If-Modified-Since: {850:-3000}"], isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.1.3 what is no date", stored: ["Last-Modified: {-3000}"], request: ["If-Modified-Since: now"],
            isUnmodified: false),
        Condition(
            rule: "RFC 9111 §4.3.2 Date replaces Last-Modified", stored: [], request: ["If-Modified-Since: {0}"],
            isUnmodified: true),
        Condition(
            rule: "RFC 9111 §4.3.2 made after that date", stored: [], request: ["If-Modified-Since: {-3000}"], isUnmodified: false
        ),
        Condition(
            rule: "RFC 9110 §13.2.2 tags go before dates: same", stored: ["ETag: \"a\"", "Last-Modified: {-10}"],
            request: ["If-None-Match: \"a\"", "If-Modified-Since: {-3000}"], isUnmodified: true),
        Condition(
            rule: "RFC 9110 §13.2.2 tags go before dates: other", stored: ["ETag: \"a\"", "Last-Modified: {-3000}"],
            request: ["If-None-Match: \"b\"", "If-Modified-Since: {-10}"], isUnmodified: false),
    ]

    @Test(arguments: conditions) func preconditionsOfTheRequestAreEvaluated(_ row: Condition) {
        let stored = Wire.stored(["Cache-Control: max-age=3600", "Content-Length: 10"] + row.stored)
        guard
            case .serve(let reply) = HTTPCachePolicy.standard.decision(
                for: Wire.request(row.request), stored: stored, now: Wire.start)
        else { Issue.record("It must be served."); return }
        #expect(reply.head.status == (row.isUnmodified ? .notModified : .ok))
        #expect(reply.bytes == (row.isUnmodified ? 0..<0 : 0..<10))
        #expect(reply.head.headerFields[.eTag] == stored.head.headerFields[.eTag], "RFC 9110 §15.4.5: a 304 has the ETag.")
        #expect(reply.head.headerFields.contains(.contentLength) != row.isUnmodified)
    }

    // MARK: 304

    private func validated(_ stored: [String], by lines: [String]) -> StoredResponse? {
        Wire.stored(stored).validated(
            by: Wire.head(lines, status: 304), to: Wire.request(), requestedAt: Wire.start + 100, receivedAt: Wire.start + 100)
    }

    struct Selection: Sendable, CustomTestStringConvertible {
        var rule: String
        var stored: [String]
        var answer: [String]
        var isSelected: Bool
        var testDescription: String { rule }
    }

    private static let selections: [Selection] = [
        Selection(
            rule: "RFC 9111 §4.3.4 the same strong tag", stored: ["ETag: \"a\""], answer: ["ETag: \"a\""], isSelected: true),
        Selection(
            rule: "RFC 9111 §4.3.4 another strong tag", stored: ["ETag: \"a\""], answer: ["ETag: \"b\""], isSelected: false),
        Selection(
            rule: "RFC 9111 §4.3.4 the same weak tag", stored: ["ETag: W/\"a\""], answer: ["ETag: W/\"a\""], isSelected: true),
        Selection(
            rule: "RFC 9111 §4.3.4 a tag that was weakened", stored: ["ETag: \"a\""], answer: ["ETag: W/\"a\""], isSelected: true),
        Selection(
            rule: "RFC 9111 §4.3.4 another weak tag", stored: ["ETag: W/\"a\""], answer: ["ETag: W/\"b\""], isSelected: false),
        Selection(
            rule: "RFC 9111 §4.3.4 a tag where none was", stored: ["Last-Modified: {-100}"], answer: ["ETag: \"a\""],
            isSelected: false),
        Selection(
            rule: "RFC 9111 §4.3.4 the same date", stored: ["Last-Modified: {-100}"], answer: ["Last-Modified: {-100}"],
            isSelected: true),
        Selection(
            rule: "RFC 9111 §4.3.4 another date", stored: ["Last-Modified: {-100}"], answer: ["Last-Modified: {-50}"],
            isSelected: false),
        Selection(
            rule: "RFC 9111 §4.3.4 a date beside a stored tag", stored: ["ETag: \"a\""], answer: ["Last-Modified: {-50}"],
            isSelected: true),
        Selection(rule: "RFC 9111 §4.3.4 no validator at all", stored: ["ETag: \"a\""], answer: [], isSelected: true),
        Selection(
            rule: "RFC 9111 §4.3.4 the tag decides, not the date", stored: ["ETag: \"a\"", "Last-Modified: {-100}"],
            answer: ["ETag: \"a\"", "Last-Modified: {-50}"], isSelected: true),
    ]

    @Test(arguments: selections) func a304UpdatesTheVersionThatItNames(_ row: Selection) {
        #expect((validated(row.stored, by: row.answer) != nil) == row.isSelected)
    }

    @Test(
        "RFC 9111 §3.2 a 304 replaces what it repeats",
        arguments: [
            "Cache-Control", "Content-Type", "Content-Location", "Content-Security-Policy", "Content-MD5", "Content-Foo",
            "Expires",
            "Set-Cookie", "Test-Header", "X-Test-Header", "X-Frame-Options", "Clear-Site-Data", "Public-Key-Pins",
            "Last-Modified",
        ])
    func a304ReplacesFields(_ name: String) throws {
        let updated = try #require(validated(["ETag: \"a\"", "\(name): old"], by: ["ETag: \"a\"", "\(name): new"]))
        #expect(updated.head.headerFields[HTTPField.Name(name)!] == "new")
        #expect(updated.head.status == .ok)
    }

    @Test(
        "RFC 9111 §3.2 fields that describe the stored body stay",
        arguments: ["Content-Length", "Content-Encoding", "Content-Range"])
    func a304KeepsTheFieldsThatDescribeTheBody(_ name: String) throws {
        let updated = try #require(validated(["ETag: \"a\"", "\(name): 1"], by: ["ETag: \"a\"", "\(name): 2"]))
        #expect(updated.head.headerFields[HTTPField.Name(name)!] == "1")
    }

    @Test("RFC 9111 §3.2 fields that a 304 omits stay, except Age; repeated fields are replaced together")
    func a304KeepsFieldsThatItOmits() throws {
        let updated = try #require(
            validated(
                ["ETag: \"a\"", "Age: 50", "Test-Header: x", "Cache-Control: max-age=1", "Cache-Control: private", "Date: {0}"],
                by: ["ETag: \"a\"", "Cache-Control: max-age=60", "Date: {100}", "Connection: foo", "Foo: 1", "Keep-Alive: 5"]))
        #expect(updated.head.headerFields[HTTPField.Name("Test-Header")!] == "x")
        #expect(!updated.head.headerFields.contains(.age))
        #expect(updated.head.headerFields[values: .cacheControl] == ["max-age=60"])
        #expect(!updated.head.headerFields.contains(HTTPField.Name("Foo")!), "Connection listed it.")
        #expect(!updated.head.headerFields.contains(HTTPField.Name("Keep-Alive")!))
        let decision = HTTPCachePolicy.standard.decision(for: Wire.request(), stored: updated, now: Wire.start + 159)
        #expect(HTTPCacheKind(decision) == .serve, "Its age restarts (RFC 9111 §4.3.4).")
    }

    // MARK: HEAD

    @Test("RFC 9111 §4.3.5 a response to HEAD updates the same version, and reveals another one")
    func aResponseToHeadUpdatesTheStoredResponse() {
        let stored = Wire.stored(["Cache-Control: max-age=1", "ETag: \"a\"", "Content-Length: 10", "Test-Header: 1"])
        func freshened(_ lines: [String]) -> StoredResponse? {
            stored.freshened(
                byHead: Wire.head(lines), to: Wire.request(), requestedAt: Wire.start + 9, receivedAt: Wire.start + 9)
        }
        let same = freshened(["Cache-Control: max-age=60", "ETag: \"a\"", "Content-Length: 10"])
        #expect(same?.head.headerFields[.cacheControl] == "max-age=60")
        #expect(same?.head.headerFields[HTTPField.Name("Test-Header")!] == "1")
        #expect(same?.receivedAt == Wire.start + 9)
        #expect(freshened(["ETag: \"b\"", "Content-Length: 10"]) == nil)
        #expect(freshened(["ETag: \"a\"", "Content-Length: 11"]) == nil)
        #expect(freshened(["Last-Modified: {0}"]) == nil)
        #expect(freshened([]) != nil)
    }

    // MARK: Parts

    @Test("RFC 9111 §3.4 the remainder of a stored start is requested, of the same version only")
    func theRemainderOfAStoredPartIsRequested() {
        let part = ["Cache-Control: max-age=60", "Content-Range: bytes 0-4/10"]
        let validation = validationRequest(part + ["ETag: \"a\""], status: 206, bytes: 5)
        #expect(validation?.kind == .remainder)
        #expect(validation?.headerFields[.range] == "bytes=5-")
        #expect(validation?.headerFields[.ifRange] == "\"a\"")
        let dated = validationRequest(part + ["Last-Modified: {-100}"], status: 206, bytes: 5)
        #expect(dated?.headerFields[.ifRange] == Wire.date(Wire.start - 100))
        #expect(validationRequest(part + ["ETag: W/\"a\""], status: 206, bytes: 5) == nil, "Weak")
        #expect(
            validationRequest(part + ["Last-Modified: {-10}"], status: 206, bytes: 5) == nil,
            "RFC 9110 §8.8.2.2: too close to Date")
        #expect(validationRequest(part, status: 206, bytes: 5) == nil)
        #expect(validationRequest(part + ["ETag: \"a\""], status: 206, ["Range: bytes=3-7"], bytes: 5) == nil)
        #expect(
            validationRequest(["Cache-Control: max-age=60", "Content-Range: bytes 1-4/10", "ETag: \"a\""], status: 206, bytes: 4)
                == nil)
        #expect(
            validationRequest(["Cache-Control: max-age=60", "Content-Range: bytes 0-4/*", "ETag: \"a\""], status: 206, bytes: 5)
                == nil)
    }

    struct Join: Sendable, CustomTestStringConvertible {
        var rule: String
        var first: [String]
        var second: [String]
        /// The joined range, or `whole`; `nil` if the parts are not adjacent.
        var result: String?
        var overlap = 0
        var testDescription: String { rule }
    }

    private static let joins: [Join] = [
        Join(
            rule: "RFC 9110 §15.3.7.3 adjoining", first: ["bytes 0-3/10", "\"a\""], second: ["bytes 4-6/10", "\"a\""],
            result: "bytes 0-6/10"),
        Join(
            rule: "RFC 9110 §15.3.7.3 overlapping", first: ["bytes 0-5/10", "\"a\""], second: ["bytes 4-6/10", "\"a\""],
            result: "bytes 0-6/10", overlap: 2),
        Join(
            rule: "RFC 9110 §15.3.7.3 making the whole", first: ["bytes 0-5/10", "\"a\""], second: ["bytes 6-9/10", "\"a\""],
            result: "whole"),
        Join(
            rule: "RFC 9110 §15.3.7.3 not from the start", first: ["bytes 2-5/10", "\"a\""], second: ["bytes 6-9/10", "\"a\""],
            result: "bytes 2-9/10"),
        Join(
            rule: "RFC 9110 §15.3.7.3 a total that only one knows", first: ["bytes 0-5/*", "\"a\""],
            second: ["bytes 6-9/10", "\"a\""], result: "whole"),
        Join(
            rule: "RFC 9110 §15.3.7.3 a gap between", first: ["bytes 0-3/10", "\"a\""], second: ["bytes 5-6/10", "\"a\""],
            result: nil),
        Join(
            rule: "RFC 9110 §15.3.7.3 in the other order", first: ["bytes 4-6/10", "\"a\""], second: ["bytes 0-3/10", "\"a\""],
            result: nil),
        Join(
            rule: "RFC 9110 §15.3.7.3 nothing new", first: ["bytes 0-6/10", "\"a\""], second: ["bytes 2-4/10", "\"a\""],
            result: nil),
        Join(
            rule: "RFC 9110 §15.3.7.3 other totals", first: ["bytes 0-3/10", "\"a\""], second: ["bytes 4-6/11", "\"a\""],
            result: nil),
        Join(
            rule: "RFC 9110 §15.3.7.3 other versions", first: ["bytes 0-3/10", "\"a\""], second: ["bytes 4-6/10", "\"b\""],
            result: nil),
        Join(
            rule: "RFC 9110 §15.3.7.3 weak tags", first: ["bytes 0-3/10", "W/\"a\""], second: ["bytes 4-6/10", "W/\"a\""],
            result: nil),
    ]

    @Test(arguments: joins) func partsOfOneVersionAreJoined(_ row: Join) {
        func part(_ words: [String]) -> StoredResponse {
            let range = ContentRange(words[0])
            return Wire.stored(
                ["Content-Range: \(words[0])", "ETag: \(words[1])"], status: 206, bytes: range?.positions.count ?? 0)
        }
        let joined = part(row.first).joined(with: part(row.second))
        #expect((joined != nil) == (row.result != nil))
        guard let joined, let result = row.result else { return }
        #expect(joined.overlap == row.overlap)
        #expect(joined.response.head.status == (result == "whole" ? .ok : .partialContent))
        #expect(joined.response.head.headerFields[.contentRange] == (result == "whole" ? nil : result))
        #expect(joined.response.head.headerFields[.contentLength] == "\(joined.response.byteCount)")
    }
}
