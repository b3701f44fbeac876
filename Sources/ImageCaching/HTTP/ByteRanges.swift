/// The request of a `Range` field (RFC 9110, section 14.2), as far as the cache supports it: one range of bytes.
enum RangeRequest: Hashable, Sendable {
    /// From the first to the last position, both included; `nil` to the end.
    case from(Int, through: Int?)
    /// The last bytes of the body, at most this many.
    case suffix(Int)

    /// Parses a field value; `nil` for several ranges, other units and malformed values.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2 else { return nil }
        let (first, last) = (CacheNumber.parse(ends[0]), CacheNumber.parse(ends[1]))
        switch (first, last) {
        case (nil, let last?) where ends[0].isEmpty: self = .suffix(last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: nil)
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        default: return nil
        }
    }

    /// The requested positions in a body of `total` bytes; `nil` if there are none.
    func positions(inTotal total: Int) -> Range<Int>? {
        switch self {
        case .suffix(let count): return count > 0 && total > 0 ? max(0, total - count)..<total : nil
        case .from(let first, let last):
            guard first < total else { return nil }
            return first..<(last.map { min($0, total - 1) + 1 } ?? total)
        }
    }
}

/// The value of a `Content-Range` field (RFC 9110, section 14.4).
struct ContentRange: Hashable, Sendable {
    var positions: Range<Int>
    /// The length of the whole body; `nil` if unknown.
    var total: Int?

    var text: String { "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(total.map(String.init) ?? "*")" }
}

extension ContentRange {
    /// Parses `bytes 0-99/1234` or `bytes 0-99/*`; `nil` for any other or contradictory value.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = CacheNumber.parse(ends[0]), let last = CacheNumber.parse(ends[1]), first <= last,
            last < Int.max
        else { return nil }
        var total: Int?
        if parts[1] != "*" {
            guard let count = CacheNumber.parse(parts[1]), last < count else { return nil }
            total = count
        }
        self.init(positions: first..<last + 1, total: total)
    }
}

enum CacheNumber {
    /// Parses a number of digits only; `nil` if it overflows.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text)
    }
}
