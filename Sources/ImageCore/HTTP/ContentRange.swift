/// The `Content-Range` of a response with one part of a body (RFC 9110, section 14.4).
package struct ContentRange: Hashable, Sendable {
    /// The positions of the first and the last byte.
    package let first: Int
    package let last: Int
    /// The number of bytes of the whole body; `nil` if the server does not say.
    package let total: Int?

    /// Reads the field, such as `bytes 0-99/200`: the unit in any case, and with blanks that servers add.
    ///
    /// - Returns: `nil` for another unit, a field without a part, and a range that is not inside the body.
    package init?(_ field: String?) {
        let words = field?.split(whereSeparator: \.isWhitespace) ?? []
        let parts = words.dropFirst().joined().split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard words.first?.lowercased() == "bytes", parts.count == 2, ends.count == 2,
            let first = ContentLength.bytes(of: String(ends[0])), let last = ContentLength.bytes(of: String(ends[1])),
            first <= last
        else { return nil }
        (self.first, self.last) = (first, last)
        total = ContentLength.bytes(of: String(parts[1]))
        guard total.map({ last < $0 }) ?? (parts[1] == "*") else { return nil }
    }
}
