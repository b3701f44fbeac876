/// What a `Range` field asks for (RFC 9110, section 14.2), as far as a cache answers it: one range of bytes.
enum RangeRequest: Hashable, Sendable {
    /// From the first to the last position, both included; `nil` to the end.
    case from(Int, through: Int?)
    /// The last so many bytes.
    case suffix(Int)

    /// `nil` for several ranges, other units, and what is no range.
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

    /// The positions within a body of `total` bytes; `nil` where it has none of them.
    func positions(inTotal total: Int) -> Range<Int>? {
        switch self {
        case .suffix(let count): return count > 0 && total > 0 ? max(0, total - count)..<total : nil
        case .from(let first, let last):
            guard first < total else { return nil }
            return first..<(last.map { min($0, total - 1) + 1 } ?? total)
        }
    }
}

/// What a `Content-Range` field says (RFC 9110, section 14.4).
struct ContentRange: Hashable, Sendable {
    var positions: Range<Int>
    /// The length of the whole; `nil` where it is not known.
    var total: Int?

    init(positions: Range<Int>, total: Int?) {
        self.positions = positions
        self.total = total
    }

    /// `bytes 0-99/1234` or `bytes 0-99/*`; `nil` for anything else, and for what cannot be.
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

    var text: String { "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(total.map(String.init) ?? "*")" }
}

enum CacheNumber {
    /// Digits and nothing else, no more than fit.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text)
    }
}
