/// Dates in header fields (RFC 9110, section 5.6.7), as seconds since 1970.
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`; `nil` for anything else.
    static func seconds(of text: String) -> Int? {
        let parts = text.split { " ,-".contains($0) }.map(String.init)
        switch parts.count {
        case 6 where parts[5] == "GMT": return seconds(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
        case 5: return seconds(day: parts[2], month: parts[1], year: parts[4], time: parts[3])
        default: return nil
        }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func seconds(day: String, month: String, year: String, time: String) -> Int? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard let day = Int(day), 1...31 ~= day, let month = months.firstIndex(of: month), var year = Int(year), 0...9999 ~= year,
            clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2]
        else { return nil }
        // Two digits mean the century that makes sense for a response.
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        return days(year: year, month: month + 1, day: day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// Days since 1970 in the proleptic Gregorian calendar. The year is made to begin in March, so that the leap day is
    /// its last, and 400 years are 146,097 days.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
