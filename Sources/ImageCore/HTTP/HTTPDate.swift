/// Parses dates in header fields (RFC 9110, section 5.6.7) into seconds since 1970.
///
/// Parsing is strict except for upper and lower case: text that does not match one of the three formats is no date. A
/// response with an invalid date counts as expired; a lenient parser could store it for too long.
package enum HTTPDate {
    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter now: the current time. A two-digit year that would be more than 50 years ahead is in the past
    ///   century.
    /// - Returns: `nil` if `text` is no date.
    package static func seconds(of text: String, now: Double) -> Double? {
        var scanner = Scanner(text)
        guard let name = scanner.word() else { return nil }
        let isLong = longDays.contains(name)
        guard isLong || shortDays.contains(name) else { return nil }
        if !isLong, scanner.skip(" ") {
            guard let month = scanner.month(), scanner.skip(" "),
                let day = scanner.paddedNumber(), scanner.skip(" "), let time = scanner.time(), scanner.skip(" "),
                let year = scanner.number(digits: 4), scanner.isAtEnd
            else { return nil }
            return seconds(year: year, month: month, day: day, time: time)
        }
        let separator: StaticString = isLong ? "-" : " "
        guard scanner.skip(", "), let day = scanner.number(digits: 2), scanner.skip(separator), let month = scanner.month(),
            scanner.skip(separator), let year = scanner.number(digits: isLong ? 2 : 4), scanner.skip(" "),
            let time = scanner.time(), scanner.skip(" GMT"), scanner.isAtEnd
        else { return nil }
        guard isLong else { return seconds(year: year, month: month, day: day, time: time) }
        let fiftyYears = 50 * 365.25 * 86_400
        guard let recent = seconds(year: 2000 + year, month: month, day: day, time: time) else { return nil }
        return recent - now > fiftyYears ? seconds(year: 1900 + year, month: month, day: day, time: time) : recent
    }

    private static let shortDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    fileprivate static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func seconds(year: Int, month: Int, day: Int, time: Int) -> Double? {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 1, 1...lengths[month - 1] ~= day else { return nil }
        // Days since 1970 in the proleptic Gregorian calendar. The computation begins each year in March, so that the
        // leap day is the last day of a year.
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return Double(days * 86_400 + time)
    }
}

private struct Scanner {
    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String) { bytes = Array(text.utf8.prefix(64)) }

    var isAtEnd: Bool { at == bytes.count }
    var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Reads letters and returns them in lower case.
    mutating func word() -> String? {
        let start = at
        while let byte = peek, 0x61...0x7A ~= byte | 0x20 { at += 1 }
        return at > start ? String(decoding: bytes[start..<at].map { $0 | 0x20 }, as: UTF8.self) : nil
    }

    /// Reads the name of a month and returns its number, 1 to 12.
    mutating func month() -> Int? { word().flatMap { HTTPDate.months.firstIndex(of: $0) }.map { $0 + 1 } }

    mutating func number(digits: Int) -> Int? {
        guard at + digits <= bytes.count, bytes[at..<at + digits].allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        defer { at += digits }
        return bytes[at..<at + digits].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Reads two digits, or a space and a digit.
    mutating func paddedNumber() -> Int? { skip(" ") ? number(digits: 1) : number(digits: 2) }

    /// Reads a time such as `08:49:37` and returns the second of the day. Second 60 is a leap second.
    mutating func time() -> Int? {
        guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"), let second = number(digits: 2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// Skips `text` if it comes next, in upper or lower case.
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard at + count <= bytes.count else { return false }
        for index in 0..<count where lower(bytes[at + index]) != lower(unsafe text.utf8Start[index]) { return false }
        at += count
        return true
    }

    private func lower(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}
