import HTTPTypes
import ImageCore
import ImageNetworking
import Testing

@testable import ImageNetworkingCurl

@Suite struct ResponseHeadersReceived {
    private func head(_ lines: [String]) -> (ResponseHeaders, [ResponseHeaders.Progress]) {
        var head = ResponseHeaders()
        var progress: [ResponseHeaders.Progress] = []
        for line in lines {
            progress.append(head.append(Array((line + "\r\n").utf8)))
        }
        return (head, progress)
    }

    @Test func responseHeadersAreParsed() throws {
        let (head, progress) = head(["HTTP/1.1 206 Partial Content", "Content-LENGTH:  12 ", "ETag: \"a:b\"", "X: 1", "X: 2", ""])
        #expect(progress == [.incomplete, .incomplete, .incomplete, .incomplete, .incomplete, .complete])
        #expect(head.status == 206)
        #expect(head.contentLength == 12)
        let response = head.response
        #expect(response.status.reasonPhrase == "Partial Content")
        #expect(response.headerFields[.eTag] == "\"a:b\"")
        #expect(response.headerFields[values: try #require(HTTPField.Name("x"))] == ["1", "2"])
    }

    @Test func aStatusLineStartsOver() {
        let (head, _) = head(["HTTP/1.1 100 Continue", "Content-Length: 5", "", "HTTP/1.1 200 OK", "A: b", ""])
        #expect(head.status == 200)
        #expect(head.contentLength == nil)
        #expect(head.response.headerFields.count == 1)
    }

    @Test func aFoldedLineContinuesTheValueBefore() throws {
        let (head, _) = head(["HTTP/1.1 200", "A: one", "\t two", "B: 3", ""])
        #expect(head.response.headerFields[try #require(HTTPField.Name("A"))] == "one two")
    }

    @Test func linesThatAreNotFieldsAreLeftOut() {
        let (head, _) = head(["HTTP/1.1 200 OK", "no colon", "bad name: x", ": none", "Good: 1", ""])
        #expect(head.response.headerFields.map(\.name.rawName) == ["Good"])
    }

    @Test func controlBytesAreNotPartOfAName() {
        let (head, _) = head(["HTTP/1.1 200 OK", "Content\rLength: 5", "Content\rType: image/png", "Good: 1", ""])
        #expect(head.contentLength == nil)
        #expect(head.response.headerFields.map(\.name.rawName) == ["Good"])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectNeedsItsLocation(_ status: Int) {
        #expect(head(["HTTP/1.1 \(status) X", "location: /a", ""]).0.redirect == "/a")
        #expect(head(["HTTP/1.1 \(status) X", "Location:", ""]).0.redirect == nil)
        #expect(head(["HTTP/1.1 \(status) X", ""]).0.redirect == nil)
        #expect(head(["HTTP/1.1 200 X", "Location: /a", ""]).0.redirect == nil)
    }

    @Test(arguments: ["-1", "+1", "99999999999999999999", "12a", "0x5", "5 5", "5,", "5, 6", "", "٣"])
    func aMalformedLengthIsInvalid(_ text: String) {
        let (head, _) = head(["HTTP/1.1 200 OK", "Content-Length: \(text)", ""])
        #expect(head.contentLength == nil)
        #expect(head.hasBadLength)
    }

    @Test(arguments: [(["5"], 5), (["5", "5"], 5), (["5, 5"], 5), (["5,5", "5"], 5), (["5", "6"], nil), (["x", "5"], nil)])
    func equalRepeatedLengthsAreValid(_ values: [String], _ expected: Int?) {
        let (head, _) = head(["HTTP/1.1 200 OK"] + values.map { "Content-Length: \($0)" } + [""])
        #expect(head.hasBadLength == (expected == nil))
        if let expected { #expect(head.contentLength == expected) }
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 2", "HTTP/1.1 abc", "HTTP/2 99"])
    func aMalformedStatusIsZero(_ line: String) {
        #expect(head([line, ""]).0.status == 0)
    }

    @Test func tooManyFieldsAreAnError() {
        let most = (0..<ResponseHeaders.maximumFields).map { "A: \($0)" }
        let (largest, _) = head(["HTTP/1.1 200 OK"] + most + [""])
        #expect(largest.response.headerFields.count == most.count)
        #expect(!largest.hasTooManyFields)
        #expect(head(["HTTP/1.1 200 OK"] + most + ["A: 0", ""]).0.hasTooManyFields)
    }

    @Test func trailersAreCountedAndNotKept() {
        let (head, progress) = head(["HTTP/1.1 200 OK", "A: 1", "", "B: 2", ""])
        #expect(progress == [.incomplete, .incomplete, .complete, .incomplete, .complete])
        #expect(head.response.headerFields.map(\.name.rawName) == ["A"])
        var full = head
        let line = Array(repeating: UInt8(ascii: "a"), count: ResponseHeaders.maximumBytes)
        #expect(full.append(line) == .tooLarge)
    }

    @Test func aValueMayBeOtherThanUTF8() throws {
        var head = ResponseHeaders()
        for line in ["HTTP/1.1 200 OK\r\n".utf8.map { $0 }, [0x41, 0x3A, 0x20, 0xE9, 0x20, 0xFF, 0x0D, 0x0A], [0x0D, 0x0A]] {
            _ = head.append(line)
        }
        let field = try #require(head.response.headerFields.first)
        #expect(unsafe field.withUnsafeBytesOfValue { unsafe Array($0) } == [0xE9, 0x20, 0xFF])
    }

    @Test func setCookieIsParsed() {
        let (head, _) = head(["HTTP/1.1 200 OK", "A: 1", "set-cookie: session=secret", ""])
        #expect(head.response.headerFields[.setCookie] == "session=secret")
    }
}
