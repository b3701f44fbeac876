import ImageCore
import Testing

@Suite("HTTP dates") struct HTTPDates {
    /// Tuesday, 14 November 2023, 22:13:20 GMT.
    private static let now = 1_700_000_000.0

    private func seconds(_ text: String) -> Double? { HTTPDate.seconds(of: text, now: Self.now) }

    @Test(
        "RFC 9110 §5.6.7 the three formats",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func theThreeFormatsAreTheSameInstant(_ text: String) { #expect(seconds(text) == 784_111_777) }

    @Test(
        "RFC 9110 §5.6.7 upper and lower case",
        arguments: ["SUN, 06 Nov 1994 08:49:37 GMT", "Sun, 06 NOV 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 gmt"])
    func caseDoesNotMatter(_ text: String) { #expect(seconds(text) == 784_111_777) }

    @Test(
        "RFC 9110 §5.6.7 other text is no date",
        arguments: [
            "", "0", "-1", "foo", "GMT", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov  1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1995 08:49:37 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
            "Sun, 06 Nov 0000 08:49:37 GMT", "Sonntag, 06-Nov-94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
            "Sun Nov  6 08:49:37 1994 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT x", " Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
            "Sun,06 Nov 1994 08:49:37 GMT",
        ])
    func otherTextIsNoDate(_ text: String) { #expect(seconds(text) == nil) }

    @Test("RFC 9110 §5.6.7 each month has its days", arguments: [(2023, 28), (2024, 29), (1900, 28), (2000, 29)])
    func eachMonthHasItsDays(_ year: Int, february: Int) throws {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let days = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var start = try #require(seconds("Sun, 01 Jan \(year) 00:00:00 GMT"))
        for (name, count) in zip(names, days) {
            #expect(seconds("Sun, 01 \(name) \(year) 00:00:00 GMT") == start, "\(name)")
            #expect(seconds("Sun, \(count) \(name) \(year) 23:59:59 GMT") == start + Double(count) * 86_400 - 1, "\(name)")
            #expect(seconds("Sun, \(count + 1) \(name) \(year) 00:00:00 GMT") == nil, "\(name)")
            start += Double(count) * 86_400
        }
        #expect(seconds("Sun, 01 Jan \(year + 1) 00:00:00 GMT") == start)
    }

    @Test("RFC 9110 §5.6.7 a two-digit year more than fifty years ahead is in the past century")
    func twoDigitYearsDependOnTheCurrentYear() throws {
        let soon = try #require(seconds("Sunday, 01-Jan-70 00:00:00 GMT"))
        #expect(soon == seconds("Wed, 01 Jan 2070 00:00:00 GMT"))
        #expect(seconds("Sunday, 01-Jan-75 00:00:00 GMT") == seconds("Wed, 01 Jan 1975 00:00:00 GMT"))
        #expect(seconds("Sunday, 01-Jan-99 00:00:00 GMT") == seconds("Fri, 01 Jan 1999 00:00:00 GMT"))
    }

    @Test("RFC 9110 §5.6.7 leap seconds and leap days")
    func leapSecondsAndLeapDays() {
        #expect(seconds("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
        #expect(seconds("Tue, 29 Feb 2000 00:00:00 GMT") == 951_782_400)
        #expect(seconds("Tue, 29 Feb 2000 12:00:00 GMT") == 951_825_600)
        #expect(seconds("Tue, 01 Mar 2100 00:00:00 GMT") == 4_107_542_400)
        #expect(seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(seconds("Wed, 31 Dec 1969 23:59:59 GMT") == -1)
        #expect(seconds("Mon, 01 Jan 0001 00:00:00 GMT") == -62_135_596_800)
    }
}
