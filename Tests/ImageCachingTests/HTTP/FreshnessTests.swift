import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// The freshness lifetime of responses.
@Suite("HTTP freshness") struct HTTPFreshness {
    static let maxAge: [Row] = [
        Row("RFC 9111 §5.2.2.1 max-age: fresh below it", ["Cache-Control: max-age=60"], after: 59, .serve(59)),
        Row("RFC 9111 §4.2 max-age: stale at it", ["Cache-Control: max-age=60"], after: 60, .fetch),
        Row(
            "RFC 9111 §4.2 max-age: stale beyond it, with a validator", ["Cache-Control: max-age=60", "ETag: \"a\""], after: 61,
            .validate),
        Row("RFC 9111 §5.2.2.1 max-age=0 is stale at once", ["Cache-Control: max-age=0", "ETag: \"a\""], .validate),
        Row("RFC 9111 §5.2 names are matched in any case", ["Cache-Control: MaX-aGe=60"], after: 59, .serve(59)),
        Row("RFC 9111 §5.2 a quoted number counts", ["Cache-Control: max-age=\"60\""], after: 59, .serve(59)),
        Row("RFC 9111 §5.2 a quoted number ends", ["Cache-Control: max-age=\"60\""], after: 61, .fetch),
        Row("RFC 9111 §5.2 leading zeros are digits", ["Cache-Control: max-age=0060"], after: 59, .serve(59)),
        Row("RFC 9111 §5.2 spaces round the comma", ["Cache-Control:   foo ,\tmax-age=60 , bar"], after: 59, .serve(59)),
        Row("RFC 9111 §5.2 empty members are passed over", ["Cache-Control: ,, ,max-age=60,,"], after: 59, .serve(59)),
        Row(
            "RFC 9110 §5.3 several lines are one list", ["Cache-Control: foo", "Cache-Control: max-age=60"], after: 59, .serve(59)
        ),
        Row("RFC 9111 §5.2.3 an unknown directive is passed over", ["Cache-Control: foobar, max-age=60"], after: 59, .serve(59)),
        Row("RFC 9111 §5.2.3 an unknown directive with a value", ["Cache-Control: foo=bar, max-age=60"], after: 59, .serve(59)),
        Row(
            "RFC 9110 §5.6.4 max-age inside quotes is text", ["Cache-Control: ext=\"max-age=3600\", max-age=1"], after: 2, .fetch),
        Row(
            "RFC 9110 §5.6.4 max-age inside quotes after it is text", ["Cache-Control: max-age=1, ext=\"max-age=3600\""],
            after: 2, .fetch),
        Row(
            "RFC 9110 §5.6.4 a comma inside quotes separates nothing", ["Cache-Control: ext=\"a, max-age=3600\", max-age=1"],
            after: 2, .fetch),
        Row(
            "RFC 9110 §5.6.4 an escaped quote does not end the text", ["Cache-Control: ext=\"\\\", max-age=3600\", max-age=1"],
            after: 2, .fetch),
        Row("RFC 9110 §5.6.4 an escaped quote alone", ["Cache-Control: ext=\"\\\"\", max-age=60"], after: 59, .serve(59)),
        Row("RFC 9110 §5.6.4 a quote without end takes the rest", ["Cache-Control: ext=\"a, max-age=3600"], after: 2, .fetch),
        Row("RFC 9111 §4.2.1 single quotes are no number", ["Cache-Control: max-age='3600'", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 a letter before the number", ["Cache-Control: max-age=a3600", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 a letter after the number", ["Cache-Control: max-age=3600a", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 a fraction is no number", ["Cache-Control: max-age=3600.5", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 a whole fraction is no number", ["Cache-Control: max-age=3600.0", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 a negative number", ["Cache-Control: max-age=-3600", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 a number with a plus sign", ["Cache-Control: max-age=+3600", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 no number at all", ["Cache-Control: max-age", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 an empty number", ["Cache-Control: max-age=", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 an empty quoted number", ["Cache-Control: max-age=\"\"", "ETag: \"a\""], .validate),
        Row(
            "RFC 9111 §5.2 a space before the equals sign makes another name", ["Cache-Control: max-age =3600", "ETag: \"a\""],
            .validate),
        Row(
            "RFC 9111 §4.2.1 a space after the equals sign is no number", ["Cache-Control: max-age= 3600", "ETag: \"a\""],
            .validate),
        Row(
            "RFC 9111 §4.2.1 a tab after the equals sign is no number", ["Cache-Control: max-age=\t3600", "ETag: \"a\""],
            .validate),
        Row("RFC 9111 §4.2.1 a semicolon does not separate", ["Cache-Control: foo; max-age=3600", "ETag: \"a\""], .validate),
        Row("RFC 9111 §1.2.2 2147483647 is a long time", ["Cache-Control: max-age=2147483647"], after: 1e6, .serve(1_000_000)),
        Row(
            "RFC 9111 §1.2.2 2147483648 is as long as it gets", ["Cache-Control: max-age=2147483648"], after: 1e6,
            .serve(1_000_000)),
        Row("RFC 9111 §1.2.2 99999999999 is cut to that", ["Cache-Control: max-age=99999999999"], after: 1e6, .serve(1_000_000)),
        Row(
            "RFC 9111 §1.2.2 a number beyond 64 bits is cut to that", ["Cache-Control: max-age=99999999999999999999999"],
            after: 1e6, .serve(1_000_000)),
        Row(
            "RFC 9111 §1.2.2 the longest time ends too", ["Cache-Control: max-age=99999999999999999999999"], after: 2_147_483_648,
            .fetch),
        Row("RFC 9111 §4.2.1 of two on a line the shorter counts", ["Cache-Control: max-age=1800, max-age=1"], after: 2, .fetch),
        Row(
            "RFC 9111 §4.2.1 of two on two lines the shorter counts",
            ["Cache-Control: max-age=1", "Cache-Control: max-age=1800"], after: 2, .fetch),
        Row("RFC 9111 §4.2.1 two that agree", ["Cache-Control: max-age=60, max-age=60"], after: 59, .serve(59)),
        Row("RFC 9111 §4.2.1 one of two is no number", ["Cache-Control: max-age=60, max-age=x", "ETag: \"a\""], .validate),
        Row(
            "RFC 9111 §5.2.2.10 s-maxage is not for a private cache", ["Cache-Control: s-maxage=3600, max-age=1"], after: 2,
            .fetch),
        Row(
            "RFC 9111 §5.2.2.10 s-maxage on another line is not either",
            ["Cache-Control: s-maxage=3600", "Cache-Control: max-age=1"], after: 2, .fetch),
        Row(
            "RFC 9111 §5.2.2.10 a shorter s-maxage does not count", ["Cache-Control: max-age=3600, s-maxage=1"], after: 2,
            .serve(2)),
        Row("RFC 9111 §5.2.2.10 s-maxage alone says nothing", ["Cache-Control: s-maxage=3600", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 no information at all", [], .fetch),
    ]

    static let expires: [Row] = [
        Row("RFC 9111 §5.3 Expires: fresh before it", ["Expires: {60}"], after: 59, .serve(59)),
        Row("RFC 9111 §5.3 Expires: stale at it", ["Expires: {60}", "ETag: \"a\""], after: 60, .validate),
        Row("RFC 9111 §5.3 Expires in the past", ["Expires: {-60}", "ETag: \"a\""], .validate),
        Row("RFC 9111 §5.3 Expires now", ["Expires: {0}", "ETag: \"a\""], .validate),
        Row(
            "RFC 9111 §5.3 max-age goes before a past Expires", ["Expires: {-60}", "Cache-Control: max-age=60"], after: 59,
            .serve(59)),
        Row(
            "RFC 9111 §5.3 max-age goes before a later Expires", ["Expires: {3600}", "Cache-Control: max-age=60"], after: 61,
            .fetch),
        Row(
            "RFC 9111 §5.3 max-age=0 goes before a later Expires",
            ["Expires: {3600}", "Cache-Control: max-age=0", "ETag: \"a\""], .validate),
        Row(
            "RFC 9111 §5.3 max-age goes before an invalid Expires", ["Expires: 0", "Cache-Control: max-age=60"], after: 59,
            .serve(59)),
        Row(
            "RFC 9111 §5.3 s-maxage does not go before Expires here", ["Expires: {60}", "Cache-Control: s-maxage=1"], after: 59,
            .serve(59)),
        Row(
            "RFC 9111 §4.2.1 Expires counts from Date, not from arrival", ["Date: {-30}", "Expires: {60}"], after: 59, .serve(89)),
        Row("RFC 9111 §4.2.1 a server whose clock is ahead", ["Date: {400}", "Expires: {300}", "ETag: \"a\""], .validate),
        Row(
            "RFC 9111 §4.2.1 a server whose clock is ahead, and its times agree", ["Date: {400}", "Expires: {460}"], after: 59,
            .serve(59)),
        Row("RFC 9111 §5.3 without a Date it counts from arrival", ["-Date", "Expires: {60}"], after: 59, .serve(59)),
        Row("RFC 9111 §5.3 with an invalid Date it counts from arrival", ["Date: foo", "Expires: {60}"], after: 59, .serve(59)),
        Row("RFC 9110 §5.6.7 Expires in RFC 850 form", ["Expires: {850:60}"], after: 59, .serve(59)),
        Row("RFC 9110 §5.6.7 Expires in RFC 850 form ends", ["Expires: {850:60}"], after: 61, .fetch),
        Row("RFC 9110 §5.6.7 Expires in asctime form", ["Expires: {asctime:60}"], after: 59, .serve(59)),
        Row("RFC 9110 §5.6.7 Expires in asctime form ends", ["Expires: {asctime:60}"], after: 61, .fetch),
        Row("RFC 9110 §5.6.7 Date in RFC 850 form", ["Date: {850:-30}", "Expires: {60}"], after: 59, .serve(89)),
        Row("RFC 9110 §5.6.7 Date in asctime form", ["Date: {asctime:-30}", "Expires: {60}"], after: 59, .serve(89)),
        Row("RFC 9111 §5.3 Expires: 0 has passed", ["Expires: 0", "ETag: \"a\""], .validate),
        Row("RFC 9111 §5.3 Expires: -1 has passed", ["Expires: -1", "ETag: \"a\""], .validate),
        Row("RFC 9111 §5.3 an empty Expires has passed", ["Expires:", "ETag: \"a\""], .validate),
        Row("RFC 9111 §5.3 a number of seconds has passed", ["Expires: 3600", "ETag: \"a\""], .validate),
        Row("RFC 9111 §5.3 an invalid Expires bars the guess", ["Expires: 0", "Last-Modified: {-864000}"], .validate),
        Row("RFC 9111 §4.2.1 of two the earlier counts", ["Expires: {3600}", "Expires: {60}"], after: 61, .fetch),
        Row("RFC 9111 §4.2.1 one of two is invalid", ["Expires: {3600}", "Expires: 0", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.1 two that agree", ["Expires: {60}", "Expires: {60}"], after: 59, .serve(59)),
    ]

    static let age: [Row] = [
        Row("RFC 9111 §4.2.3 Age counts", ["Cache-Control: max-age=60", "Age: 30"], after: 29, .serve(59)),
        Row("RFC 9111 §4.2.3 Age uses the time up", ["Cache-Control: max-age=60", "Age: 30"], after: 31, .fetch),
        Row(
            "RFC 9111 §4.2.3 older than it may be on arrival", ["Cache-Control: max-age=60", "Age: 90", "ETag: \"a\""], .validate),
        Row("RFC 9111 §4.2.3 Age counts against Expires", ["Expires: {60}", "Age: 30"], after: 31, .fetch),
        Row("RFC 9111 §4.2.3 an older Date counts", ["Cache-Control: max-age=60", "Date: {-30}"], after: 29, .serve(59)),
        Row(
            "RFC 9111 §4.2.3 the greater of Age and Date: Age", ["Cache-Control: max-age=600", "Date: {-30}", "Age: 50"],
            .serve(50)),
        Row(
            "RFC 9111 §4.2.3 the greater of Age and Date: Date", ["Cache-Control: max-age=600", "Date: {-50}", "Age: 30"],
            .serve(50)),
        Row(
            "RFC 9111 §4.2.3 a Date ahead is no negative age", ["Cache-Control: max-age=60", "Date: {50}"], after: 59, .serve(59)),
        Row(
            "RFC 9111 §5.1 an Age that is no number does not count", ["Cache-Control: max-age=60", "Age: abc"], after: 59,
            .serve(59)),
        Row("RFC 9111 §5.1 a negative Age does not count", ["Cache-Control: max-age=60", "Age: -7200"], after: 59, .serve(59)),
        Row("RFC 9111 §5.1 a fraction does not count", ["Cache-Control: max-age=60", "Age: 7200.0"], after: 59, .serve(59)),
        Row("RFC 9111 §5.1 an empty Age does not count", ["Cache-Control: max-age=60", "Age:"], after: 59, .serve(59)),
        Row(
            "RFC 9111 §5.1 of a list the first counts: old", ["Cache-Control: max-age=60", "Age: 7200, 0", "ETag: \"a\""],
            .validate),
        Row(
            "RFC 9111 §5.1 of a list the first counts: young", ["Cache-Control: max-age=60", "Age: 0, 7200"], after: 59,
            .serve(59)),
        Row(
            "RFC 9111 §5.1 of two lines the first counts: old",
            ["Cache-Control: max-age=60", "Age: 7200", "Age: 0", "ETag: \"a\""], .validate),
        Row(
            "RFC 9111 §5.1 of two lines the first counts: young", ["Cache-Control: max-age=60", "Age: 0", "Age: 7200"], after: 59,
            .serve(59)),
        Row("RFC 9111 §5.1 the same twice", ["Cache-Control: max-age=60", "Age: 20, 20"], after: 39, .serve(59)),
        Row(
            "RFC 9111 §1.2.2 an endless Age is cut", ["Cache-Control: max-age=60", "Age: 99999999999999999999", "ETag: \"a\""],
            .validate),
        Row("RFC 9111 §5.1 Age is in whole seconds", ["Cache-Control: max-age=60"], after: 12.9, .serve(12)),
        Row("RFC 9111 §4.2.3 a clock that was set back", ["Cache-Control: max-age=60"], after: -30, .serve(30)),
        Row(
            "RFC 9111 §4.2.3 a clock that was set back far", ["Cache-Control: max-age=60", "ETag: \"a\""], after: -86_400,
            .validate),
    ]

    static let guesses: [Row] = [
        Row("RFC 9111 §4.2.2 a tenth of the time since Last-Modified", ["Last-Modified: {-1000}"], after: 99, .serve(99)),
        Row("RFC 9111 §4.2.2 and no more", ["Last-Modified: {-1000}"], after: 101, .validate),
        Row("RFC 9111 §4.2.2 at most a day", ["Last-Modified: {-86400000}"], after: 86_399, .serve(86_399)),
        Row("RFC 9111 §4.2.2 a day is over", ["Last-Modified: {-86400000}"], after: 86_401, .validate),
        Row(
            "RFC 9111 §4.2.2 another share", ["Last-Modified: {-1000}"], after: 199,
            policy: HTTPCachePolicy(heuristicFraction: 0.2),
            .serve(199)),
        Row(
            "RFC 9111 §4.2.2 another limit", ["Last-Modified: {-1000}"], after: 51,
            policy: HTTPCachePolicy(heuristicLimit: .seconds(50)), .validate),
        Row("RFC 9111 §4.2.2 no guesses", ["Last-Modified: {-1000}"], policy: HTTPCachePolicy(heuristicFraction: 0), .validate),
        Row("RFC 9111 §4.2.2 counted from Date", ["Date: {-100}", "Last-Modified: {-1100}"], after: 0, .validate),
        Row("RFC 9111 §4.2.2 Last-Modified in the future", ["Last-Modified: {1000}"], .validate),
        Row("RFC 9111 §4.2.2 Last-Modified now", ["Last-Modified: {0}"], .validate),
        Row("RFC 9111 §4.2.2 Last-Modified that is no date", ["Last-Modified: yesterday"], .validate),
        Row(
            "RFC 9111 §4.2.2 not where max-age is given", ["Last-Modified: {-100000}", "Cache-Control: max-age=1"], after: 2,
            .validate),
        Row(
            "RFC 9111 §4.2.2 not where max-age is no number", ["Last-Modified: {-100000}", "Cache-Control: max-age=x"], .validate),
        Row("RFC 9111 §4.2.2 not where Expires is given", ["Last-Modified: {-100000}", "Expires: {1}"], after: 2, .validate),
        Row("RFC 9111 §4.2.2 a query in the URL bars nothing", ["Last-Modified: {-1000}"], after: 50, .serve(50)),
        Row("RFC 9111 §4.2.2 Last-Modified in RFC 850 form", ["Last-Modified: {850:-1000}"], after: 99, .serve(99)),
        Row("RFC 9111 §4.2.2 Last-Modified in asctime form", ["Last-Modified: {asctime:-1000}"], after: 99, .serve(99)),
    ]

    /// Statuses that are heuristically cacheable, and some that are not (RFC 9110, section 15.1).
    static let guessedStatuses: [Row] =
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map {
            Row("RFC 9110 §15.1 \($0) is cacheable by guess", ["Last-Modified: {-1000}"], after: 50, status: $0, .serve(50))
        }
        + [201, 202, 299, 302, 303, 307, 400, 401, 403, 409, 429, 499, 500, 502, 503, 504, 599].map {
            Row("RFC 9110 §15.1 \($0) is not cacheable by guess", ["Last-Modified: {-1000}"], after: 50, status: $0, .notKept)
        }
        + [201, 302, 403, 500, 599].map {
            Row(
                "RFC 9111 §4.2.2 \($0) is, where it says public", ["Last-Modified: {-1000}", "Cache-Control: public"], after: 50,
                status: $0, .serve(50))
        }

    private static let statuses = [
        200, 201, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 410, 429, 499, 500, 502, 503, 504, 599,
    ]

    /// Any final status is stored for its explicit lifetime; a stale one only if it is a success that may be served
    /// stale later.
    static let explicitStatuses: [Row] =
        statuses.map { status -> Row in
            Row("RFC 9111 §3 \(status) is used while fresh", ["Cache-Control: max-age=60"], after: 50, status: status, .serve(50))
        }
        + statuses.map { status -> Row in
            Row("RFC 9111 §4.2 \(status) is not used stale", ["Expires: {-60}"], status: status, status < 300 ? .fetch : .notKept)
        }

    @Test(arguments: maxAge) func maxAgeDeterminesTheLifetime(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: expires) func expiresDeterminesTheLifetime(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: age) func theResponseDelayCountsAsAge(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: guesses) func withoutExplicitFreshnessTheHeuristicApplies(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: guessedStatuses) func theHeuristicDependsOnTheStatus(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: explicitStatuses) func anyStatusIsStoredForItsExplicitLifetime(_ row: Row) {
        #expect(row.outcome == row.verdict)
    }

    @Test("RFC 9111 §4.2.3 the time that the transaction took counts as age")
    func theDelayOfTheResponseIsAge() {
        let stored = Wire.stored(["Cache-Control: max-age=60", "Age: 10"], took: 5)
        let decision = HTTPCachePolicy.standard.decision(for: Wire.request(), stored: stored, now: Wire.start + 2)
        guard case .serve(let reply) = decision else { Issue.record("\(decision)"); return }
        #expect(reply.age == 17)
        #expect(reply.head.headerFields[.age] == "17")
        #expect(reply.head.headerFields[.date] == Wire.date(Wire.start), "Date is not touched (RFC 9110 §6.6.1).")
    }
}
