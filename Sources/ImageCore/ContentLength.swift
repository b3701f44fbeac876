/// What `Content-Length` announces (RFC 9110, section 8.6).
package enum ContentLength {
    /// The number of bytes, which may be said several times in a list. `nil` for anything else: then nobody can know where the
    /// body ends (RFC 9112, section 6.3).
    package static func bytes(of text: String) -> Int? {
        guard text.utf8.contains(UInt8(ascii: ",")) else { return number(text[...]) }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { number($0.drop { $0 == " " }) }
        return numbers.allSatisfy { $0 == numbers.first } ? numbers.first ?? nil : nil
    }

    /// Digits and nothing else, not even a sign.
    private static func number(_ text: Substring) -> Int? { text.utf8.first.map { 0x30...0x39 ~= $0 } == true ? Int(text) : nil }
}
