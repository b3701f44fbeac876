import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Which stale responses may be served when the server fails.
@Suite("HTTP stale replies") struct HTTPStaleReplies {
    struct Failing: Sendable, CustomTestStringConvertible {
        var rule: String
        var stored: [String]
        var request: [String] = []
        var failure: HTTPCacheFailure
        var after = 100.0
        var policy = HTTPCachePolicy.standard
        var isServed: Bool
        var testDescription: String { rule }
    }

    private static let window = ["Cache-Control: max-age=60, stale-if-error=100"]
    private static let plain = ["Cache-Control: max-age=60"]

    private static let failures: [Failing] =
        [500, 502, 503, 504].map {
            Failing(rule: "RFC 5861 §4 \($0) within the window", stored: window, failure: .status($0), isServed: true)
        }
        + [200, 304, 400, 403, 404, 410, 429, 501, 505].map {
            Failing(rule: "RFC 5861 §4 \($0) is no such error", stored: window, failure: .status($0), isServed: false)
        } + [
            Failing(
                rule: "RFC 5861 §4 at the end of the window", stored: window, failure: .status(503), after: 160, isServed: true),
            Failing(rule: "RFC 5861 §4 after the window", stored: window, failure: .status(503), after: 161, isServed: false),
            Failing(rule: "RFC 5861 §4 no window", stored: plain, failure: .status(503), isServed: false),
            Failing(
                rule: "RFC 5861 §4 the request's window", stored: plain, request: ["Cache-Control: stale-if-error=100"],
                failure: .status(503), isServed: true),
            Failing(
                rule: "RFC 5861 §4 the request's window is over", stored: plain, request: ["Cache-Control: stale-if-error=30"],
                failure: .status(503), isServed: false),
            Failing(
                rule: "RFC 5861 §4 the longer of both windows", stored: window, request: ["Cache-Control: stale-if-error=1"],
                failure: .status(503), isServed: true),
            Failing(
                rule: "RFC 5861 §4 a window that is no number", stored: ["Cache-Control: max-age=60, stale-if-error=x"],
                failure: .status(503), isServed: false),
            Failing(rule: "RFC 9111 §4.2.4 the server cannot be reached", stored: plain, failure: .unreachable, isServed: true),
            Failing(rule: "RFC 9111 §4.2.4 however long", stored: plain, failure: .unreachable, after: 1e7, isServed: true),
            Failing(
                rule: "RFC 9111 §4.2.4 unless switched off", stored: plain, failure: .unreachable,
                policy: HTTPCachePolicy(servesStaleOffline: false), isServed: false),
            Failing(
                rule: "RFC 9111 §4.2.4 switched off, within the window", stored: window, failure: .unreachable,
                policy: HTTPCachePolicy(servesStaleOffline: false), isServed: true),
            Failing(
                rule: "RFC 9111 §5.2.2.2 must-revalidate bars it",
                stored: ["Cache-Control: max-age=60, must-revalidate, stale-if-error=100"], failure: .unreachable, isServed: false
            ),
            Failing(
                rule: "RFC 9111 §5.2.2.4 no-cache bars it",
                stored: ["Cache-Control: no-cache, stale-if-error=100", "ETag: \"a\""], failure: .unreachable, isServed: false),
            Failing(
                rule: "RFC 9111 §5.2.1.4 a request's no-cache bars it", stored: window, request: ["Cache-Control: no-cache"],
                failure: .unreachable, isServed: false),
            Failing(
                rule: "RFC 9111 §5.2.1.5 a request's no-store bars it", stored: window, request: ["Cache-Control: no-store"],
                failure: .unreachable, isServed: false),
            Failing(
                rule: "RFC 9111 §4.1 another variant does not stand in", stored: plain + ["Vary: Foo"], request: ["Foo: 1"],
                failure: .unreachable, isServed: false),
            Failing(
                rule: "aggressive: whatever fails", stored: plain, failure: .status(503), policy: .aggressive, isServed: true),
            Failing(rule: "off: nothing", stored: window, failure: .unreachable, policy: .off, isServed: false),
        ]

    @Test(arguments: failures) func staleRepliesAreServedIfAllowed(_ row: Failing) {
        let stored = Wire.stored(row.stored)
        let reply = row.policy.staleReply(
            for: Wire.request(row.request), stored: stored, after: row.failure, now: Wire.start + row.after)
        #expect((reply != nil) == row.isServed)
        if let reply { #expect(reply.age == Int(row.after) && reply.head.headerFields[.age] == "\(reply.age)") }
    }
}
