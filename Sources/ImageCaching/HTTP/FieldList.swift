/// Parses comma-separated field values (RFC 9110, section 5.6.1).
enum FieldList {
    /// The members between commas, without surrounding whitespace and without empty ones. Commas inside quotes do not separate.
    static func members(_ text: String) -> [String] {
        var (isQuoted, isEscaped) = (false, false)
        let members = text.utf8.split { byte in
            defer { isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\") }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return members.map(trimmed).filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with each directive of a `Cache-Control` line: its name in lower case, and its unquoted value.
    ///
    /// There is no whitespace around the `=` of a directive. Whitespace before it makes the name another one; whitespace after it
    /// belongs to the value, which is then not a number.
    static func forEachDirective(in line: String, _ body: (String, String?) -> Void) {
        for member in members(line) {
            let parts = member.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard !parts[0].isEmpty else { continue }
            body(Substring(parts[0]).lowercased(), parts.count > 1 ? unquoted(parts[1]) : nil)
        }
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var rest = bytes
        while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return rest
    }

    /// The content of a quoted string (RFC 9110, section 5.6.4); any other text is returned as it is.
    private static func unquoted(_ bytes: Substring.UTF8View) -> String {
        guard bytes.first == UInt8(ascii: "\"") else { return String(Substring(bytes)) }
        var content: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if !isEscaped, byte == UInt8(ascii: "\"") {
                break
            } else {
                content.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: content, as: UTF8.self)
    }
}
