extension URL {
    /// Creates a URL from text as people and servers write it: what no URL may contain is percent-encoded, such as
    /// blanks, brackets in a query and letters beyond ASCII. Valid escapes stay, so that an encoded URL is not encoded
    /// again, as `URL(string:)` does; a `%` that begins none becomes `%25`.
    ///
    /// ```swift
    /// URL(lenient: "https://example.org/a b?tags[]=1&sig=%2f")  // https://example.org/a%20b?tags%5B%5D=1&sig=%2f
    /// ```
    ///
    /// - Parameter text: the URL; white space around it is ignored. An international host name is converted (RFC 3492).
    /// - Returns: `nil` for text that is no URL even then, for example because its host is invalid.
    public init?(lenient text: String) {
        self.init(string: URL.percentEncodingInvalidBytes(of: text.trimmed.utf8))
    }

    /// The text of a URL, or of a reference to one, with each byte percent-encoded that may not stand there (RFC 3986,
    /// section 2), except in its authority.
    package static func percentEncodingInvalidBytes(of bytes: some Sequence<UInt8>) -> String {
        var rest = Array(bytes)[...]
        var text = Data()
        // The authority follows the scheme, or is the beginning of a reference.
        let colon = rest.firstIndex { $0 == UInt8(ascii: ":") || endsAuthority($0) } ?? rest.endIndex
        let start = rest[colon...].first == UInt8(ascii: ":") ? colon + 1 : 0
        if rest[start...].starts(with: "//".utf8) {
            let end = rest[(start + 2)...].firstIndex(where: endsAuthority) ?? rest.endIndex
            text += rest[..<end]
            rest = rest[end...]
        }
        var isFragment = false
        while let byte = rest.popFirst() {
            let isEscape = byte == UInt8(ascii: "%") && rest.prefix(2).count { isHexDigit($0) } == 2
            let beginsFragment = byte == UInt8(ascii: "#") && !isFragment
            if isEscape || beginsFragment || validBytes.contains(byte) {
                text.append(byte)
            } else {
                text += Array((byte < 16 ? "%0" : "%").utf8) + Array(String(byte, radix: 16, uppercase: true).utf8)
            }
            isFragment = isFragment || beginsFragment
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The unreserved and the reserved characters that may stand in a path and a query.
    private static let validBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?@!$&'()*+,;=".utf8)

    private static func endsAuthority(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x3F || byte == 0x23 }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x46 ~= byte || 0x61...0x66 ~= byte
    }
}

extension StringProtocol {
    /// The text without the white space around it.
    package var trimmed: SubSequence {
        let start = drop { $0.isWhitespace }
        return start[..<(start.lastIndex { !$0.isWhitespace }.map(index(after:)) ?? start.startIndex)]
    }
}
