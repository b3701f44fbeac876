import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Validation requests, and how the responses update what is stored.
@Suite("HTTP validation") struct HTTPValidation {
    private static let stale = ["Cache-Control: max-age=0"]

    private func validationRequest(_ stored: [String], status: Int = 200, _ request: [String] = []) -> HTTPFields? {
        let response = Wire.stored(stored, status: status)
        let decision = HTTPCachePolicy.standard.decision(for: Wire.request(request), stored: response, now: Wire.start + 10)
        if case .revalidate(let fields) = decision { return fields }
        return nil
    }

    @Test(
        "RFC 9111 §4.3.1 the stored ETag is asked about as it stands",
        arguments: ["\"abc\"", "W/\"abc\"", "abc", "\"a,b\"", "\"\"", "\"\u{e9}\""])
    func theStoredTagIsSent(_ tag: String) {
        let validation = validationRequest(Self.stale + ["ETag: \(tag)"])
        #expect(validation?[.ifNoneMatch] == tag)
        #expect(validation?.contains(.ifModifiedSince) == false)
    }

    @Test("RFC 9111 §4.3.1 Last-Modified is sent, alone or with the ETag")
    func lastModifiedIsSent() {
        let alone = validationRequest(Self.stale + ["Last-Modified: {-100}"])
        #expect(alone?[.ifModifiedSince] == Wire.date(Wire.start - 100))
        let both = validationRequest(Self.stale + ["Last-Modified: {-100}", "ETag: \"a\""])
        #expect(both?[.ifModifiedSince] == Wire.date(Wire.start - 100))
        #expect(both?[.ifNoneMatch] == "\"a\"")
    }

    @Test("RFC 9111 §4.3.1 the fields of the request are sent, including those of Vary")
    func theFieldsOfTheRequestAreSent() {
        let response = Wire.stored(Self.stale + ["ETag: \"a\"", "Vary: Foo"], to: ["Foo: 1"])
        let request = Wire.request(["Foo: 1", "Accept: image/png", "Authorization: Bearer 1"])
        guard
            case .revalidate(let fields) = HTTPCachePolicy.standard.decision(
                for: request, stored: response, now: Wire.start)
        else { Issue.record("It must be validated."); return }
        #expect(
            fields
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
}
